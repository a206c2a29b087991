// @vitest-environment jsdom

import { beforeEach, describe, expect, it, vi } from 'vitest';

/** A page whose frame is played by the test. */
async function start() {
  vi.resetModules();
  document.body.replaceChildren();
  const { drawDiagram } = await import('./diagrams');
  const frame = () => document.querySelector('iframe');
  const say = (data: unknown, source: unknown = frame()?.contentWindow) =>
    window.dispatchEvent(new MessageEvent('message', { data, source: source as Window }));
  return { drawDiagram, frame, say };
}

const PICTURE = '<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"><text>online=yes</text></svg>';
const drawn = { svg: PICTURE, width: 10, height: 10, title: ' Bread ', kind: 'flowchart-v2' };

/** U-9, FAULTS 26: what the frame of diagrams says is not believed. */
describe('the frame of diagrams', () => {
  beforeEach(() => vi.useFakeTimers());

  it('is a sandbox without an origin, and is there once', async () => {
    const { drawDiagram, frame, say } = await start();
    const first = drawDiagram('flowchart LR\n A', false);
    expect(frame()?.getAttribute('sandbox')).toBe('allow-scripts');
    say({ ready: true });
    say({ id: 1, ...drawn });
    expect(await first).toMatchObject({ drawing: { title: 'Bread', width: 10 } });
    const second = drawDiagram('flowchart LR\n B', false);
    say({ id: 2, error: 'Parse error' });
    expect(await second).toEqual({ reason: 'failed', details: 'Parse error' });
    expect(document.querySelectorAll('iframe')).toHaveLength(1);
    expect(await drawDiagram('flowchart LR\n A', false), 'it is not drawn again').toMatchObject({ drawing: { kind: 'flowchart-v2' } });
  });

  it.each([
    ['no picture', { ...drawn, svg: '<html><body></body></html>' }, 'failed'],
    ['a script', { ...drawn, svg: '<svg><script>1</script></svg>' }, 'failed'],
    ['a handler', { ...drawn, svg: '<svg onload="x()"></svg>' }, 'failed'],
    ['a link that runs', { ...drawn, svg: '<svg><a href="javascript:x()">a</a></svg>' }, 'failed'],
    ['a frame', { ...drawn, svg: '<svg><iframe src="x"></iframe></svg>' }, 'failed'],
    ['a huge picture', { ...drawn, svg: `<svg>${'x'.repeat(2_000_000)}</svg>` }, 'too_large'],
    ['a side without end', { ...drawn, width: Infinity }, 'too_large'],
    ['a side that is no number', { ...drawn, height: '10' }, 'too_large'],
    ['nothing', {}, 'too_large'],
  ])('does not get %s into the page', async (_, said, reason) => {
    const { drawDiagram, say } = await start();
    const outcome = drawDiagram('flowchart LR\n A', false);
    say({ ready: true });
    say({ id: 1, ...said });
    expect(await outcome).toEqual({ reason });
  });

  it('is not confused with other windows, and is given up when it does not answer', async () => {
    const { drawDiagram, frame, say } = await start();
    const outcome = drawDiagram('flowchart LR\n A', false);
    const before = frame();
    say({ ready: true });
    say({ id: 1, ...drawn }, window);
    say({ id: 7, ...drawn });
    await vi.advanceTimersByTimeAsync(20_000);
    expect(await outcome).toEqual({ reason: 'too_slow' });
    expect(before?.isConnected).toBe(false);
    const again = drawDiagram('flowchart LR\n A', false);
    say({ ready: true });
    say({ id: 2, ...drawn });
    expect(await again).toMatchObject({ drawing: { svg: PICTURE } });
  });

  it('draws no large diagrams, and not any number at once', async () => {
    const { drawDiagram } = await start();
    expect(await drawDiagram('x'.repeat(20_001), false)).toEqual({ reason: 'too_large' });
    for (let at = 0; at < 21; at += 1) void drawDiagram(`flowchart LR\n A${at}`, false);
    expect(await drawDiagram('flowchart LR\n Z', false)).toEqual({ reason: 'too_many' });
  });
});
