import { afterEach, describe, expect, it, vi } from 'vitest';

import { embeddingAt } from '../browser/embedded';
import { readSaid, type Said, Site } from './site';

const SHOP = 'https://shop.example';

/** A frame in a page, which says something. */
function framed() {
  const around = { postMessage: vi.fn() };
  vi.stubGlobal('window', { parent: around, addEventListener: vi.fn() });
  const heard: Said[] = [];
  const site = new Site([SHOP, 'https://other.example'], (said) => heard.push(said));
  site.begin();
  const says = (data: unknown, origin = SHOP, source: unknown = around) => site.hear({ data, origin, source } as MessageEvent);
  return { around, heard, says, site };
}

afterEach(() => vi.unstubAllGlobals());

describe('the page of another site', () => {
  /** U-12: only the window around the frame is heard, from an origin of the project, and always the same one. */
  it('is heard if it is the one around the frame and allowed', () => {
    const { heard, says } = framed();
    says({ parlor: 1, type: 'opened' }, 'https://evil.example');
    says({ parlor: 1, type: 'opened' }, 'null');
    says({ parlor: 1, type: 'opened' }, SHOP, { postMessage: vi.fn() });
    expect(heard).toEqual([]);
    says({ parlor: 1, type: 'opened' });
    says({ parlor: 1, type: 'closed' }, 'https://other.example');
    expect(heard).toEqual([{ type: 'opened' }]);
  });

  it('is told something only after it was heard, under its own origin', () => {
    const { around, says, site } = framed();
    expect(around.postMessage.mock.calls).toEqual([[{ parlor: 1, type: 'ready' }, '*']]);
    site.tell('token-wanted');
    expect(around.postMessage).toHaveBeenCalledTimes(1);
    says({ parlor: 1, type: 'look' });
    site.tell('unread', 2);
    expect(around.postMessage).toHaveBeenLastCalledWith({ parlor: 1, type: 'unread', count: 2 }, SHOP);
  });
});

describe('what it says', () => {
  /** U-12: whatever has another form is nothing, and what does not fit of a look is left out. */
  it('has a form and bounds', () => {
    for (const strange of [null, 'opened', [], { type: 'opened' }, { parlor: 2, type: 'opened' }, { parlor: 1, type: 'send' }, { parlor: 1, type: 'token', token: 'x'.repeat(201) }]) {
      expect(readSaid(strange)).toBeNull();
    }
    const look = { parlor: 1, type: 'look', theme: 'dark', accent: '#8A3b6f', radius: 12, font: '"Inter", Georgia' };
    expect(readSaid(look)).toEqual({ type: 'look', look: { theme: 'dark', accent: '#8A3b6f', radius: 12, font: '"Inter", Georgia' } });
    const wrong = { parlor: 1, type: 'look', theme: 'pink', accent: 'red', radius: 99, font: 'x; background: url(//evil)' };
    expect(readSaid(wrong)).toEqual({ type: 'look', look: {} });
  });
});

it('a frame knows its project by its address', () => {
  expect(embeddingAt('/embed/home/shop')).toEqual({ tenant: 'home', project: 'shop' });
  for (const path of ['/chat', '/embed/home', '/embed/home/shop/x', '/c/1']) expect(embeddingAt(path)).toBeNull();
});
