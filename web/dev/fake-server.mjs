/**
 * A stand-in for the server while one works on the page: it plays the recordings
 * of `tests/recordings` and waits where they wait for a person. Development only;
 * the browser tests run against the real binary.
 *
 *   npm run build && npm run fake        then open http://127.0.0.1:4180/chat
 *
 * "play NAME" plays a recording; so do the four suggestions. "play NAME within
 * 30 s" gives what it asks a deadline that it was recorded without. "long" makes a
 * conversation of a thousand messages, "flood" a hundred tokens a second.
 */

import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';

const HERE = import.meta.dirname;
const RECORDINGS = new Map(
  ['../tests/recordings', '../tests/recordings/by_hand'].flatMap((folder) =>
    readdirSync(join(HERE, folder))
      .filter((file) => file.endsWith('.jsonl'))
      .map((file) => [file.replace('.jsonl', ''), join(HERE, folder, file)]),
  ),
);
const DIST = join(HERE, '../dist');
const PAGES = join(HERE, '../../crates/server/src/pages');
const PORT = process.env.PORT ?? '4180';
const PACE = Number(process.env.PACE ?? 20);

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; font-src 'self'; " +
  "form-action 'self'; frame-ancestors 'none'; base-uri 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

const TYPES = { '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml', '.html': 'text/html; charset=utf-8' };

const SUGGESTIONS = [
  [/recipes do i have|quais receitas/i, 'list'],
  [/delete the tomato|exclua a receita/i, 'approval'],
  [/plan a dinner|planeje um jantar/i, 'plan'],
  [/choose what to cook|escolher o que cozinhar/i, 'question'],
];

const conversations = new Map();
const waiting = new Map();

const RECIPE = {
  id: 'r1', title: 'Tomato Soup', description: 'A soup for cold evenings, with bread on the side.', servings: 4,
  prep_time_minutes: 10, cook_time_minutes: 95,
  ingredients: [
    { name: 'ripe tomatoes', quantity: 1, unit: 'kg' },
    { name: 'onions', quantity: 2, notes: 'finely chopped' },
    { name: 'garlic', quantity: 3, unit: 'cloves' },
    { name: 'olive oil', quantity: 0.25, unit: 'cup' },
    { name: 'vegetable stock', quantity: 750, unit: 'ml' },
    { name: 'sugar', quantity: 0.5, unit: 'tsp' },
    { name: 'salt and pepper' },
  ],
  steps: [
    { instruction: 'Sweat the onions and the garlic in the oil until they are soft.', duration_minutes: 10 },
    { instruction: 'Add the tomatoes and the sugar; let them fall apart over a low flame.', duration_minutes: 20 },
    { instruction: 'Pour in the stock and simmer.', duration_minutes: 60 },
    { instruction: 'Blend until smooth, then season.' },
  ],
};

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

function emit(conversation, event, data, id) {
  const entry = { id: id ?? String(++conversation.seq), event, data };
  conversation.log.push(entry);
  conversation.updated_at = Date.now();
  for (const stream of conversation.streams) write(stream, entry);
}

function write(stream, { id, event, data }) {
  stream.write(`id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
}

/** Plays a recording into a conversation, under new ids and numbers. */
async function play(conversation, name, text) {
  const events = readFileSync(RECORDINGS.get(name), 'utf8').split('\n').filter(Boolean).map((line) => JSON.parse(line));
  const ids = new Map();
  const fresh = (value) =>
    JSON.parse(
      JSON.stringify(value).replace(/0198c5a2-7b1e-7cc0-8000-(\d{12})/g, (id, number) => {
        if (Number(number) === 1) return conversation.id;
        if (!ids.has(id)) ids.set(id, randomUUID());
        return ids.get(id);
      }),
    );
  const base = conversation.seq;
  let first = true;
  for (const { id, event, data: recorded } of events) {
    const data = fresh(recorded);
    if (first && event === 'message') {
      if (text) data.content = text;
      first = false;
    }
    if (event === 'start') conversation.running = data.turn_id;
    if (event === 'message') data.created_at = Date.now();
    if (event === 'userPrompt' && / within 30 s$/.test(text)) data.expires_at ??= 4102444800000;
    if (event === 'userPrompt' && data.expires_at) data.expires_at = data.expires_at < 2e12 ? Date.now() + 5_000 : Date.now() + 30_000;
    if (event === 'userPromptClosed') {
      const refused = await answered(conversation, data.messageId);
      if (refused) return end(conversation);
      continue;
    }
    const [seq, offset] = id.split('.');
    conversation.seq = base + Number(seq);
    emit(conversation, event, data, offset === undefined ? String(conversation.seq) : `${conversation.seq}.${offset}`);
    if (event === 'userPrompt') waiting.set(data.messageId, { conversation, prompt: data });
    if (event === 'done') conversation.running = null;
    if (conversation.stopped) return end(conversation, 'stopped');
    await sleep(event === 'chunk' || event === 'thinking' ? PACE : PACE * 3);
  }
}

function answered(conversation, id) {
  return new Promise((resolve) => {
    const entry = waiting.get(id);
    const { expires_at } = entry.prompt;
    const close = (outcome, response) => {
      clearTimeout(entry.timer);
      waiting.delete(id);
      const by = outcome === 'expired' ? {} : { answered_by: 'family' };
      emit(conversation, 'userPromptClosed', { messageId: id, outcome, response, ...by, at: Date.now() });
      resolve(outcome !== 'answered');
    };
    entry.close = close;
    if (expires_at) entry.timer = setTimeout(() => close('expired'), expires_at - Date.now());
  });
}

function end(conversation, reason = 'complete') {
  if (!conversation.running) return;
  emit(conversation, 'done', { conversation_id: conversation.id, turn_id: conversation.running, tokens_used: null, reason });
  conversation.running = null;
}

function say(conversation, text, role = 'assistant', turn = conversation.running) {
  const message = {
    id: randomUUID(), conversation_id: conversation.id, turn_id: turn, role,
    message_type: role === 'user' ? 'text' : 'info', content: text, metadata: {}, created_at: Date.now(),
  };
  emit(conversation, 'message', message);
  return message;
}

function beginTurn(conversation, text) {
  conversation.running = randomUUID();
  const id = randomUUID();
  emit(conversation, 'start', { conversation_id: conversation.id, turn_id: conversation.running, message_id: id });
  emit(conversation, 'message', {
    id, conversation_id: conversation.id, turn_id: conversation.running, role: 'user', message_type: 'text',
    content: text, metadata: {}, created_at: Date.now(),
  });
}

/** A thousand messages at once. */
function long(conversation, text) {
  for (let at = 0; at < 500; at += 1) {
    beginTurn(conversation, at === 0 ? text : `Question number ${at}: how long does it take?`);
    say(conversation, `Answer **${at}**. It takes a while:\n\n- one\n- two\n- three\n\n\`\`\`js\nconst at = ${at};\n\`\`\`\n\nAnd a closing sentence that is long enough to wrap on a narrow screen.`);
    end(conversation);
  }
}

/** A hundred tokens a second for ten seconds. */
async function flood(conversation, text) {
  beginTurn(conversation, text);
  const id = randomUUID();
  const seq = ++conversation.seq;
  let whole = '';
  for (let at = 0; at < 1000 && !conversation.stopped; at += 1) {
    const piece = at % 40 === 39 ? 'end.\n\n' : at % 13 === 0 ? `**w${at}** ` : `word${at} `;
    whole += piece;
    emit(conversation, 'chunk', { text: piece, message_id: id }, `${seq}.${Buffer.byteLength(whole)}`);
    await sleep(10);
  }
  const message = say(conversation, whole);
  message.id = id;
  conversation.log.at(-1).data.id = id;
  end(conversation, conversation.stopped ? 'stopped' : 'complete');
}

async function chat(request, response, body) {
  const { message, conversation_id, mode } = body;
  if (/DAN mode/i.test(message)) return refuse(response, 422, 'input_blocked', 'Comando não permitido');
  if (/too many/i.test(message)) return refuse(response, 429, 'rate_limited', 'Too many messages', { retry_after: 12 });
  let conversation = conversations.get(conversation_id);
  if (!conversation) {
    const id = randomUUID();
    conversation = {
      id, project: 'recipes', title: message.split('\n')[0].slice(0, 60) || '…', mode: mode ?? 'act', created_at: Date.now(),
      updated_at: Date.now(), running: null, seq: 0, log: [], streams: new Set(), allowances: new Set(), stopped: false,
    };
    conversations.set(id, conversation);
  }
  conversation.stopped = false;
  const from = conversation.log.length;
  const name = /^play (\w+)/.exec(message)?.[1] ?? SUGGESTIONS.find(([words]) => words.test(message))?.[1];
  if (RECORDINGS.has(name)) void play(conversation, name, message);
  else if (/^long/.test(message)) long(conversation, message);
  else if (/^flood/.test(message)) void flood(conversation, message);
  else {
    beginTurn(conversation, message);
    say(conversation, `I only play recordings: ${[...RECORDINGS.keys()].map((one) => `\`play ${one}\``).join(', ')}.`);
    end(conversation);
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  write(response, conversation.log[from]);
  response.end();
}

function respond(response, entry, body) {
  if (!entry?.close) return refuse(response, 404, 'not_found', 'There is no such prompt.');
  const { prompt } = entry;
  if (prompt.promptType === 'input' && body.response === 'wrong') return refuse(response, 422, 'answer_invalid', 'It must begin with a letter.');
  if (body.remember) entry.conversation.allowances.add(prompt.toolCall.name);
  const refused = body.cancelled || (prompt.promptType === 'confirm' && body.response === 'no');
  entry.close(refused ? 'refused' : 'answered', body.response);
  json(response, {});
}

const json = (response, value, status = 200) => {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(value));
};
const refuse = (response, status, code, message, more = {}) => json(response, { error: { code, message, ...more } }, status);

function summary({ id, project, title, mode, created_at, updated_at, running }) {
  return { id, project, title, mode, visibility: 'tenant', created_at, updated_at, running: running !== null };
}

async function api(request, response, path, url) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = chunks.length > 0 ? JSON.parse(Buffer.concat(chunks).toString()) : {};
  const [, , kind, id, verb, last] = path.split('/');
  if (path === '/api/me') {
    return json(response, {
      role: 'admin', tenant: 'home', name: 'family', kind: 'session', admins_read_conversations: false, default_project: 'recipes', locale: 'en',
      projects: [{ id: 'recipes', name: 'Recipes', on_reload: 'new', recipe_vault: true, message_chars: 10000 }, { id: 'garden', name: 'Garden', on_reload: 'new', recipe_vault: false, message_chars: 10000 }],
      limits: { messages_per_minute: 20, message_chars: 10000, image_bytes: 5242880, files: 10, file_bytes: 10485760, files_bytes: 15728640, pdf_pages: 100, file_chars: 200000, body_bytes: 25165824 },
    });
  }
  if (path === '/api/chat') return chat(request, response, body);
  if (kind === 'recipes') {
    await sleep(600);
    return id === 'r1' ? json(response, RECIPE) : refuse(response, 404, 'not_found', 'There is no such recipe.');
  }
  if (kind === 'prompts' && !id) return json(response, { prompts: [...waiting.values()].map((entry) => entry.prompt) });
  if (kind === 'prompts' && verb === 'response') return respond(response, waiting.get(id), body);
  if (kind === 'prompts' && verb === 'extend') {
    const entry = waiting.get(id);
    clearTimeout(entry.timer);
    emit(entry.conversation, 'userPromptUpdated', { messageId: id, expires_at: null });
    return json(response, {});
  }
  if (kind !== 'conversations') return refuse(response, 404, 'not_found', 'There is no such thing.');
  if (!id) {
    const query = (url.searchParams.get('q') ?? '').toLowerCase();
    const rows = [...conversations.values()].filter((one) => one.title.toLowerCase().includes(query)).sort((a, b) => b.updated_at - a.updated_at);
    return json(response, { conversations: rows.map(summary) });
  }
  const conversation = conversations.get(id);
  if (!conversation) return refuse(response, 404, 'not_found', 'There is no such conversation.');
  if (verb === 'events') return events(request, response, conversation);
  if (verb === 'stop') {
    conversation.stopped = true;
    return json(response, { stopped: true });
  }
  if (verb === 'allowances' && request.method === 'DELETE') conversation.allowances.delete(decodeURIComponent(last));
  if (verb === 'allowances') return json(response, { allowances: [...conversation.allowances].map((tool) => ({ tool })) });
  if (verb === 'export') return json(response, conversation.log);
  if (request.method === 'DELETE') {
    conversations.delete(id);
    for (const stream of conversation.streams) stream.end();
    response.writeHead(204);
    return response.end();
  }
  if (request.method === 'PATCH') Object.assign(conversation, body);
  return json(response, { ...summary(conversation), messages: [], cursor: conversation.log.at(-1)?.id ?? '0' });
}

function events(request, response, conversation) {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(': here\n\n');
  const place = request.headers['last-event-id'];
  const at = place ? conversation.log.findIndex((entry) => entry.id === place) + 1 : 0;
  for (const entry of conversation.log.slice(at)) write(response, entry);
  conversation.streams.add(response);
  request.on('close', () => conversation.streams.delete(response));
}

function file(response, path) {
  if (!existsSync(path)) return refuse(response, 404, 'not_found', 'There is no such file.');
  response.writeHead(200, { 'content-type': TYPES[extname(path)] ?? 'application/octet-stream', 'content-security-policy': POLICY });
  response.end(readFileSync(path));
}

const server = createServer((request, response) => {
  const url = new URL(request.url, 'http://localhost');
  const path = url.pathname;
  if (path.startsWith('/api/')) return void api(request, response, path, url);
  if (path === '/assets/theme.js' || path === '/assets/icon.svg') return file(response, join(PAGES, path.slice('/assets/'.length)));
  if (path.startsWith('/assets/') && !path.includes('..')) return file(response, join(DIST, path));
  if (path === '/chat' || path.startsWith('/c/')) return file(response, join(DIST, 'index.html'));
  response.writeHead(303, { location: '/chat' });
  response.end();
});
server.listen(Number(PORT), '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}/chat`));
