/**
 * Draws diagrams, one after the other, in a hidden frame without an origin. What comes back is a picture that is
 * shown as an image, so it cannot run anything nor load anything, whatever is in it.
 */

import page from 'virtual:diagram-page';

import { EMBEDDING } from '../browser/embedded';
import { isFields } from '../net/decode';

export interface DrawRequest {
  id: number;
  source: string;
  dark: boolean;
  colours: Record<string, string>;
  font: string;
}

export interface Drawing {
  id: number;
  svg: string;
  width: number;
  height: number;
  /** What the diagram calls itself. */
  title: string;
  kind: string;
}

/** `reason` is for the person: a name of ours, or what the library said. */
export type Outcome = { drawing: Drawing } | { reason: 'too_large' | 'too_many' | 'too_slow' | 'failed'; details?: string };

const LONGEST_SOURCE = 20_000;
const LARGEST_PICTURE = 1_000_000;
const LARGEST_SIDE = 8_000;
const MOST_WAITING = 20;
const MOST_KEPT = 20;
/** The frame is given up if it does not answer for so long, in milliseconds. */
const PATIENCE = 15_000;

interface Job {
  request: DrawRequest;
  done(outcome: Outcome): void;
}

const kept = new Map<string, Outcome>();
const waiting: Job[] = [];
let running: Job | null = null;
let timer: ReturnType<typeof setTimeout> | undefined;
let frame: HTMLIFrameElement | null = null;
let ready = false;
let numbers = 0;

/** Draws a diagram in the colours of the page. */
export function drawDiagram(source: string, dark: boolean): Promise<Outcome> {
  if (source.length > LONGEST_SOURCE) return Promise.resolve({ reason: 'too_large' });
  const key = `${dark ? 'dark' : 'light'}\n${source}`;
  const known = kept.get(key);
  if (known) return Promise.resolve(known);
  if (waiting.length >= MOST_WAITING) return Promise.resolve({ reason: 'too_many' });
  return new Promise((resolve) => {
    numbers += 1;
    waiting.push({ request: { id: numbers, source, dark, ...looks() }, done: (outcome) => resolve(keep(key, outcome)) });
    next();
  });
}

/** The newest are kept, so that scrolling does not draw again. What may work another time is not. */
function keep(key: string, outcome: Outcome): Outcome {
  if ('reason' in outcome && outcome.reason !== 'failed') return outcome;
  kept.set(key, outcome);
  const oldest = kept.keys().next().value;
  if (kept.size > MOST_KEPT && oldest !== undefined) kept.delete(oldest);
  return outcome;
}

function next(): void {
  if (running) return;
  running = waiting.shift() ?? null;
  if (!running) return;
  timer = setTimeout(giveUp, PATIENCE);
  if (!frame) open();
  else if (ready) send(running);
}

function send({ request }: Job): void {
  frame?.contentWindow?.postMessage(request, '*');
}

function open(): void {
  window.addEventListener('message', hear);
  frame = document.createElement('iframe');
  frame.setAttribute('sandbox', 'allow-scripts');
  frame.setAttribute('aria-hidden', 'true');
  frame.title = 'Mermaid';
  frame.tabIndex = -1;
  frame.referrerPolicy = 'no-referrer';
  // It must have a size: text is measured in it.
  frame.className = 'diagram-frame';
  frame.src = EMBEDDING ? `${page}?embed=${EMBEDDING.tenant}/${EMBEDDING.project}` : page;
  document.body.append(frame);
}

function hear(event: MessageEvent): void {
  if (!frame || event.source !== frame.contentWindow || !isFields(event.data)) return;
  if (event.data['ready'] === true) {
    ready = true;
    if (running) send(running);
    return;
  }
  if (running && event.data['id'] === running.request.id) finish(outcomeOf(event.data));
}

function finish(outcome: Outcome): void {
  clearTimeout(timer);
  const job = running;
  running = null;
  job?.done(outcome);
  next();
}

function giveUp(): void {
  window.removeEventListener('message', hear);
  frame?.remove();
  frame = null;
  ready = false;
  finish({ reason: 'too_slow' });
}

/** What the frame says is checked like everything that comes from outside. */
function outcomeOf(said: Record<string, unknown>): Outcome {
  const { id, svg, width, height, title, kind, error } = said;
  if (typeof error === 'string') return { reason: 'failed', details: error.slice(0, 500) };
  const isSide = (side: unknown): side is number => typeof side === 'number' && side > 0 && side <= LARGEST_SIDE;
  if (typeof svg !== 'string' || svg.length > LARGEST_PICTURE || !isSide(width) || !isSide(height)) return { reason: 'too_large' };
  if (!isPicture(svg)) return { reason: 'failed' };
  const name = typeof title === 'string' ? title.trim().slice(0, 200) : '';
  return { drawing: { id: Number(id), svg, width, height, title: name, kind: typeof kind === 'string' ? kind.slice(0, 40) : '' } };
}

/** An image runs nothing. This is for whoever opens it by itself. */
export function isPicture(svg: string): boolean {
  return svg.startsWith('<svg') && !/<(?:script|iframe|object|embed|!)|<[^>]*\son[a-z]+\s*=|javascript:/i.test(svg);
}

/** The colours and the typeface of the page, by Mermaid's names for them. */
function looks(): Pick<DrawRequest, 'colours' | 'font'> {
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string) => style.getPropertyValue(name).trim();
  const [surface, raised, ink, muted, line] = ['--surface', '--raised', '--ink', '--muted', '--outline'].map(colour) as [string, string, string, string, string];
  return {
    font: style.fontFamily,
    colours: {
      background: surface,
      primaryColor: raised,
      primaryTextColor: ink,
      primaryBorderColor: muted,
      secondaryColor: surface,
      tertiaryColor: surface,
      lineColor: muted,
      textColor: ink,
      mainBkg: raised,
      nodeBorder: muted,
      clusterBkg: surface,
      clusterBorder: line,
      edgeLabelBackground: surface,
      titleColor: ink,
      noteBkgColor: raised,
      noteTextColor: ink,
      noteBorderColor: line,
    },
  };
}
