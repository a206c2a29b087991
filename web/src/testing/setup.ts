/** Stubs for browser features that jsdom lacks. */

import { afterEach, vi } from 'vitest';

if (typeof window !== 'undefined') await prepare();

async function prepare(): Promise<void> {
  const { cleanup, configure } = await import('@testing-library/react');
  // Nothing is measured: it only ends a wait that hangs, on a machine that is busy.
  configure({ asyncUtilTimeout: 20_000 });
  afterEach(cleanup);

  window.matchMedia ??= vi.fn((query: string) => ({
    matches: query.includes('min-width') || query.includes('pointer: fine'),
    media: query,
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
  })) as unknown as typeof window.matchMedia;

  class Quiet {
    observe() {}
    unobserve() {}
    disconnect() {}
  }
  globalThis.ResizeObserver ??= Quiet as unknown as typeof ResizeObserver;
  globalThis.IntersectionObserver ??= Quiet as unknown as typeof IntersectionObserver;

  HTMLElement.prototype.showPopover ??= () => undefined;
  HTMLElement.prototype.scrollTo ??= () => undefined;
  HTMLElement.prototype.scrollIntoView ??= () => undefined;
  HTMLDialogElement.prototype.showModal ??= function (this: HTMLDialogElement) {
    this.open = true;
  };
  URL.createObjectURL ??= () => 'blob:picture';
}
