import { defineConfig, devices } from '@playwright/test';

import { chromium } from './tests/browser/chromium';

const launchOptions = await chromium();

export default defineConfig({
  testDir: 'tests/browser',
  // Each worker has a server of its own; two of them keep two cores busy.
  workers: 2,
  fullyParallel: true,
  forbidOnly: process.env['CI'] !== undefined,
  // What fails is run once more, and reported as flaky if it passes then: see CONTRIBUTING.md.
  retries: 1,
  // Nothing is measured by these: they end what hangs, on a machine that is busy.
  timeout: 90_000,
  expect: { timeout: 20_000 },
  reporter: [['list']],
  outputDir: 'node_modules/.playwright',
  // Only its own tests have the service worker: it would make the requests that others look at.
  use: { launchOptions, locale: 'en-US', colorScheme: 'light', trace: 'off', serviceWorkers: 'block' },
  projects: [
    { name: 'desktop', use: { viewport: { width: 1280, height: 800 } }, grepInvert: /@phone|@figure/ },
    {
      name: 'phone',
      use: { ...devices['Pixel 7'], viewport: { width: 390, height: 844 } },
      grep: /@phone|@both/,
    },
    { name: 'pictures', testDir: 'tests/pictures' },
    // What is measured is measured on a quiet machine: `npm run figures`.
    { name: 'figures', use: { viewport: { width: 1280, height: 800 } }, grep: /@figure/ },
  ],
});
