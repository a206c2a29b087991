import { describe, expect, it, vi } from 'vitest';

import { AppHost, Refused, type Wishes } from './app_host';

function host(wishes: Partial<Wishes> = {}) {
  const posted: unknown[] = [];
  const all: Wishes = { call: vi.fn(), openLink: vi.fn(), suggest: vi.fn(() => true), resize: vi.fn(), ...wishes };
  const one = new AppHost((message) => posted.push(message), () => ({ theme: 'dark' }), { input: { zone: 'UTC' }, result: { content: [] } }, all);
  const ask = async (method: string, params: unknown = {}) => {
    await one.hear({ jsonrpc: '2.0', id: 1, method, params });
    return posted.at(-1);
  };
  return { one, posted, ask, wishes: all };
}

/** I-6 */
describe('the host of an app', () => {
  it('begins, and then tells what is shown', async () => {
    const { one, posted, ask } = host();
    expect(await ask('ui/initialize')).toMatchObject({ id: 1, result: { protocolVersion: '2026-01-26', hostContext: { theme: 'dark' } } });
    await one.hear({ jsonrpc: '2.0', method: 'ui/notifications/initialized' });
    expect(posted.slice(1)).toEqual([
      { jsonrpc: '2.0', method: 'ui/notifications/tool-input', params: { arguments: { zone: 'UTC' } } },
      { jsonrpc: '2.0', method: 'ui/notifications/tool-result', params: { content: [] } },
    ]);
  });

  it('calls tools, and tells why one did not run', async () => {
    const call = vi.fn<Wishes['call']>().mockResolvedValueOnce({ content: [] }).mockRejectedValueOnce(new Refused(-32000, 'no'));
    const { ask } = host({ call });
    expect(await ask('tools/call', { name: 'tick', arguments: { a: 1 } })).toEqual({ jsonrpc: '2.0', id: 1, result: { content: [] } });
    expect(call).toHaveBeenCalledWith('tick', { a: 1 });
    expect(await ask('tools/call', { name: 'tick' })).toEqual({ jsonrpc: '2.0', id: 1, error: { code: -32000, message: 'no' } });
    expect(await ask('tools/call', { name: 1 })).toMatchObject({ error: { code: -32602 } });
  });

  it('shows links of the web only, and suggests texts', async () => {
    const { ask, wishes } = host();
    expect(await ask('ui/open-link', { url: 'https://example.org/a b' })).toMatchObject({ result: {} });
    expect(wishes.openLink).toHaveBeenCalledExactlyOnceWith('https://example.org/a%20b');
    for (const url of ['javascript:alert(1)', 'data:text/html,x', 'file:///etc/passwd', '/chat', 7, `https://a.example/${'x'.repeat(3000)}`]) {
      expect(await ask('ui/open-link', { url })).toMatchObject({ result: { isError: true } });
    }
    expect(wishes.openLink).toHaveBeenCalledOnce();
    expect(await ask('ui/message', { role: 'user', content: [{ type: 'text', text: ' Hi ' }, { type: 'image' }, null] })).toMatchObject({ result: { isError: false } });
    expect(wishes.suggest).toHaveBeenCalledWith('Hi');
  });

  it('refuses what it does not know, and survives nonsense', async () => {
    const { one, posted, ask, wishes } = host();
    expect(await ask('sampling/createMessage')).toMatchObject({ error: { code: -32601 } });
    const before = posted.length;
    for (const nonsense of [null, 1, 'x', [], {}, { jsonrpc: '1.0', id: 1, method: 'ping' }, { jsonrpc: '2.0', id: {}, method: 'tools/call' }]) {
      await one.hear(nonsense);
    }
    await one.hear({ jsonrpc: '2.0', method: 'ui/notifications/size-changed', params: { height: -1 } });
    await one.hear({ jsonrpc: '2.0', method: 'ui/notifications/size-changed', params: { height: 'tall' } });
    expect(posted).toHaveLength(before);
    expect(wishes.resize).not.toHaveBeenCalled();
  });
});
