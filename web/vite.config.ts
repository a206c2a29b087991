import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import type { Plugin } from 'vite';
import { defineConfig } from 'vitest/config';

import { diagramPage } from './vite/diagram_page.ts';

/** Where `parlor serve` listens while one works on the page. */
const server = process.env['PARLOR_URL'] ?? 'http://127.0.0.1:8787';

export default defineConfig({
  plugins: [react(), tailwindcss(), diagramPage(), compressed()],
  build: {
    target: 'es2022',
    // Everything is a file of its own: the policy forbids `data:` and inline code.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // What seldom changes is kept by browsers when the page itself changes.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'react', test: /node_modules[\\/](react|react-dom|scheduler|zustand)[\\/]/ },
            { name: 'assistant', test: /node_modules[\\/](@assistant-ui|assistant-stream|@radix-ui|radix-ui|nanoid)[\\/]/ },
            { name: 'markdown', test: /node_modules[\\/](react-markdown|remark|micromark|mdast|unist|hast-util-to-jsx|vfile|unified|property-information)/ },
          ],
        },
      },
    },
  },
  server: {
    proxy: Object.fromEntries(
      ['/api', '/login', '/logout', '/assets/theme.js', '/assets/icon.svg'].map((path) => [
        path,
        { target: server, headers: { origin: server }, changeOrigin: true },
      ]),
    ),
  },
  test: {
    // Files that draw something say so: `@vitest-environment jsdom`.
    environment: 'node',
    include: ['src/**/*.test.{ts,tsx}'],
    setupFiles: ['src/testing/setup.ts'],
    restoreMocks: true,
    // Nothing is measured: it only ends a test that hangs.
    testTimeout: 60_000,
  },
});

/** Compresses once, when it is built, what the server then sends as it is. */
function compressed(): Plugin {
  return {
    name: 'compressed',
    apply: 'build',
    closeBundle() {
      for (const file of filesIn(join(import.meta.dirname, 'dist'))) {
        if (!/\.(js|css|html|svg|json)$/.test(file)) continue;
        const bytes = readFileSync(file);
        const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } };
        writeFileSync(`${file}.br`, brotliCompressSync(bytes, brotli));
        writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }));
      }
    },
  };
}

function filesIn(directory: string): string[] {
  return readdirSync(directory).flatMap((name) => {
    const path = join(directory, name);
    return statSync(path).isDirectory() ? filesIn(path) : [path];
  });
}
