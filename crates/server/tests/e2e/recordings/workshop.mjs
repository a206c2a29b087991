/** An MCP server whose tools say what they would change, and one that asks for something itself. */

import { createInterface } from 'node:readline';

const LINES = 'world\nline 3\nline 4\nline 5\nline 6\nline 7\nline 8\n';

const PREVIEWS = {
  write_file: { kind: 'diff', old: `hallo\n${LINES}line 9\n`, new: `hello\n${LINES}line 9 and more\n` },
  // The last one shows as "exe.log" where the direction of text is obeyed.
  delete_files: { kind: 'list', items: ['build.log', 'server.log', 'old/\u202egol.exe'], count: 50 },
};

const FORM = {
  type: 'object',
  required: ['name', 'city'],
  properties: {
    name: { type: 'string', title: 'Full name', minLength: 2 },
    city: { type: 'string', title: 'City' },
    floor: { type: 'integer', title: 'Floor', minimum: 0, maximum: 50 },
    time: { type: 'string', title: 'When', enum: ['morning', 'evening'], enumNames: ['In the morning', 'In the evening'] },
    ring: { type: 'boolean', title: 'Ring the bell', default: true },
  },
};

const text = { type: 'string' };
const tool = (name, properties, more) => ({ name, description: `What ${name} does.`, inputSchema: { type: 'object', properties }, ...more });
const previewed = { _meta: { 'parlor/preview': 'changes' } };

const TOOLS = [
  tool('write_file', { path: text, content: text }, previewed),
  tool('delete_files', { pattern: text }, { ...previewed, annotations: { destructiveHint: true } }),
  tool('ask_address', {}, { annotations: { readOnlyHint: true } }),
  tool('changes', {}, { _meta: { 'parlor/internal': true } }),
];

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const say = (id, said) => send({ id, result: { content: [{ type: 'text', text: said }] } });
let answered = () => undefined;

function call(id, { name, arguments: given }) {
  if (name === 'changes') return send({ id, result: { content: [], structuredContent: PREVIEWS[given.tool] ?? {} } });
  if (name !== 'ask_address') return say(id, `${name} is done.`);
  answered = (answer) => say(id, JSON.stringify(answer));
  return send({ id: 'form', method: 'elicitation/create', params: { mode: 'form', message: 'Where should it be delivered?', requestedSchema: FORM } });
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params, result } = JSON.parse(line);
  if (method === 'initialize') {
    send({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'workshop', version: '1' } } });
  } else if (method === 'tools/list') send({ id, result: { tools: TOOLS } });
  else if (method === 'tools/call') call(id, params);
  else if (method === 'ping') send({ id, result: {} });
  else if (method === undefined) answered(result);
});
