import './styles.css';

import { lazy, StrictMode, Suspense } from 'react';
import { createRoot } from 'react-dom/client';

import { App } from './app/App';
import { EMBEDDING } from './browser/embedded';
import { followTheme } from './app/theme';
import { registerWorker } from './browser/worker';
import { showDensity } from './state/settings';
import { sharedToken } from './state/shared';
import { fetchRows } from './thread/load_rows';

followTheme();
showDensity();

const SharedPage = lazy(() => import('./app/SharedPage'));
const token = sharedToken();

// After what the first view needs, and before anybody can have written something.
window.addEventListener('load', fetchRows, { once: true });
// Whoever only reads a link, or uses a chat in another page, gets nothing that stays.
if (import.meta.env.PROD && !EMBEDDING && token === null) window.addEventListener('load', () => void registerWorker(), { once: true });

const EmbedApp = lazy(() => import('./app/EmbedApp'));

const root = document.getElementById('root');
if (root) {
  createRoot(root).render(
    <StrictMode>
      {EMBEDDING || token !== null ? (
        <Suspense fallback={null}>{EMBEDDING ? <EmbedApp /> : <SharedPage token={token ?? ''} />}</Suspense>
      ) : (
        <App />
      )}
    </StrictMode>,
  );
}
