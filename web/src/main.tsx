import './styles.css';

import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';

import { App } from './app/App';
import { followTheme } from './app/theme';
import { showDensity } from './state/settings';
import { fetchRows } from './thread/load_rows';

followTheme();
showDensity();

// After what the first view needs, and before anybody can have written something.
window.addEventListener('load', fetchRows, { once: true });

const root = document.getElementById('root');
if (root) {
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}
