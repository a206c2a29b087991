/**
 * The page of the frame that draws diagrams (Mermaid). It is built into one file, and runs in a sandbox without an
 * origin and without a network (`vite/diagram_page.ts`, `crates/server/src/http/web.rs`). It takes the text of a
 * diagram and gives back a picture, which the page around it shows as an image: nothing in a diagram gets further.
 */

import mermaid from 'mermaid';

import type { Drawing, DrawRequest } from './diagrams';

const LARGEST_TEXT = 20_000;
const MOST_EDGES = 300;

/** What a diagram must not change by its own directives. */
const FIXED = [
  'secure', 'securityLevel', 'startOnLoad', 'maxTextSize', 'suppressErrorRendering', 'maxEdges', 'dompurifyConfig', 'htmlLabels',
  'layout', 'theme', 'themeVariables', 'themeCSS', 'darkMode', 'fontFamily', 'altFontFamily', 'deterministicIds',
];

async function draw({ source, dark, colours, font }: DrawRequest): Promise<Omit<Drawing, 'id'>> {
  mermaid.initialize({
    startOnLoad: false,
    securityLevel: 'strict',
    secure: FIXED,
    suppressErrorRendering: true,
    maxTextSize: LARGEST_TEXT,
    maxEdges: MOST_EDGES,
    deterministicIds: true,
    // The other layout engine is left out of the build (`vite/diagram_page.ts`).
    layout: 'dagre',
    htmlLabels: false,
    flowchart: { htmlLabels: false },
    fontFamily: font,
    theme: 'base',
    darkMode: dark,
    themeVariables: { ...colours, darkMode: dark, fontFamily: font },
  });
  const { svg, diagramType } = await mermaid.render('diagram', source);
  const picture = new DOMParser().parseFromString(svg, 'text/html').querySelector('svg');
  if (!picture) throw new Error('nothing was drawn');
  const [width, height] = sizeOf(picture);
  picture.setAttribute('width', String(width));
  picture.setAttribute('height', String(height));
  picture.removeAttribute('style');
  const title = picture.querySelector(':scope > title')?.textContent ?? '';
  return { svg: new XMLSerializer().serializeToString(picture), width, height, title, kind: diagramType };
}

/** The size that a picture asks for. */
function sizeOf(picture: SVGSVGElement): [number, number] {
  const box = picture.getAttribute('viewBox')?.split(/[\s,]+/).map(Number) ?? [];
  const [width = 0, height = 0] = box.slice(2);
  return [Math.ceil(width) || 300, Math.ceil(height) || 150];
}

window.addEventListener('message', (event: MessageEvent<DrawRequest>) => {
  // Only the page around it can know this window; it has no origin that could be named.
  if (event.source !== window.parent) return;
  const { id } = event.data;
  draw(event.data)
    .then((drawing) => window.parent.postMessage({ id, ...drawing }, '*'))
    .catch((error: unknown) => {
      document.body.replaceChildren();
      window.parent.postMessage({ id, error: error instanceof Error ? error.message : String(error) }, '*');
    });
});

window.parent.postMessage({ ready: true }, '*');
