/**
 * Builds the page of the frame that draws diagrams: one file with everything in it, because a page without an origin
 * may load nothing. Its policy allows this one script by its hash, so nothing that a diagram smuggles in can run.
 * `virtual:diagram-page` is its address.
 */

import { createHash } from 'node:crypto';
import { join } from 'node:path';

import { build, type Plugin } from 'vite';

const NAME = 'virtual:diagram-page';
const RESOLVED = `\0${NAME}`;
const ENTRY = join(import.meta.dirname, '../src/markdown/diagram_frame.ts');

/** Parts of Mermaid that are left out: formulas in labels, and a second layout engine of one and a half megabytes. */
const LEFT_OUT = /^(?:katex|elkjs)(?:\/|$)/;

export function diagramPage(): Plugin {
  let isBuild = false;
  let page: Promise<string> | null = null;
  return {
    name: 'diagram-page',
    configResolved(config) {
      isBuild = config.command === 'build';
    },
    resolveId: (id) => (id === NAME ? RESOLVED : null),
    async load(id) {
      if (id !== RESOLVED) return null;
      if (!isBuild) return `export default '/assets/diagram.html'`;
      const reference = this.emitFile({ type: 'asset', name: 'diagram.html', source: await built() });
      return `export default import.meta.ROLLUP_FILE_URL_${reference}`;
    },
    configureServer(server) {
      server.middlewares.use('/assets/diagram.html', (_request, response, next) => {
        page ??= built();
        page.then((html) => response.setHeader('content-type', 'text/html; charset=utf-8').end(html)).catch(next);
      });
    },
  };
}

async function built(): Promise<string> {
  const outcome = await build({
    configFile: false,
    logLevel: 'warn',
    plugins: [leaveOut()],
    build: {
      write: false,
      target: 'es2022',
      lib: { entry: ENTRY, formats: ['iife'], name: 'diagrams', fileName: 'diagrams' },
      rolldownOptions: { output: { codeSplitting: false } },
      chunkSizeWarningLimit: 5_000,
    },
  });
  const outputs = (Array.isArray(outcome) ? outcome : [outcome]).flatMap((one) => ('output' in one ? one.output : []));
  const scripts = outputs.flatMap((one) => (one.type === 'chunk' ? [one.code] : []));
  if (scripts.length !== 1) throw new Error(`the page of diagrams must be one script, and there are ${scripts.length}`);
  return pageWith((scripts[0] ?? '').replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--'));
}

function pageWith(script: string): string {
  const hash = createHash('sha256').update(script).digest('base64');
  const policy = `default-src 'none'; script-src 'sha256-${hash}'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'`;
  return `<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}"><title>Diagram</title></head>\n<body><script>${script}</script></body>\n</html>\n`;
}

function leaveOut(): Plugin {
  return {
    name: 'leave-out',
    enforce: 'pre',
    resolveId: (id) => (LEFT_OUT.test(id) ? '\0left-out' : null),
    load: (id) => (id === '\0left-out' ? 'export default undefined' : null),
  };
}
