import './styles.css';

import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';

import { App } from './app/App';
import { followTheme } from './app/theme';
import { showDensity } from './state/settings';
import { fetchRows } from './thread/load_rows';

followTheme();
showDensity();
setTimeout(fetchRows, 1_000);

const root = document.getElementById('root');
if (root) {
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}
