// A plain chat. It sends with POST /api/chat, reads the stream, and when the
// connection is lost it goes on with GET …/events after the last id that it has.
'use strict';

const log = document.getElementById('log');
const trouble = document.getElementById('trouble');
const message = document.getElementById('message');
const sendButton = document.getElementById('send');
const stopButton = document.getElementById('stop');

message.value = sessionStorage.getItem('parlor.plain') ?? '';
sessionStorage.removeItem('parlor.plain');

let conversation = null;
let turn = null;
let lastId = null;

// One element for each message, found by its id.
function element(id, kind) {
  let found = document.getElementById('m-' + id);
  if (!found) {
    found = document.createElement('div');
    found.id = 'm-' + id;
    log.append(found);
  }
  found.className = 'message ' + kind;
  return found;
}

function follow(change) {
  const atEnd = log.scrollHeight - log.scrollTop - log.clientHeight < 80;
  change();
  if (atEnd) log.scrollTop = log.scrollHeight;
}

const handlers = {
  start(data) {
    conversation = data.conversation_id;
    turn = data.turn_id;
  },
  chunk(data) { element(data.message_id, 'assistant').textContent += data.text; },
  snapshot(data) { element(data.message_id, 'assistant').textContent = data.text; },
  thinking(data) { element(data.message_id, 'thinking').textContent += data.text; },
  tool_use(data) { element(data.call_id, 'tool').textContent = data.tool + ': ' + data.status; },
  message(data) {
    const kind = data.message_type === 'error' ? 'error' : data.role;
    element(data.id, kind).textContent = data.content;
  },
  error(data) { trouble.textContent = data.message; },
  done(data) { if (data.turn_id === turn) turn = null; },
};

function dispatch(id, name, data) {
  if (id) lastId = id;
  const handler = handlers[name];
  if (!handler) { console.warn('an event that this page does not know:', name); return; }
  follow(() => handler(JSON.parse(data)));
}

// Reads a stream of server-sent events until it ends.
async function read(response) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let buffer = '';
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    buffer += value;
    const events = buffer.split('\n\n');
    buffer = events.pop();
    for (const event of events) {
      let id = null, name = null, data = null;
      for (const line of event.split('\n')) {
        if (line.startsWith('id: ')) id = line.slice(4);
        else if (line.startsWith('event: ')) name = line.slice(7);
        else if (line.startsWith('data: ')) data = line.slice(6);
      }
      if (name) dispatch(id, name, data);
    }
  }
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// Goes on where the stream broke off, until the turn is over.
async function resume() {
  for (let wait = 500; turn; wait = Math.min(wait * 2, 10000)) {
    trouble.textContent = document.body.dataset.lost;
    await pause(wait);
    const stream = new AbortController();
    try {
      const headers = lastId ? { 'Last-Event-ID': lastId } : {};
      const url = '/api/conversations/' + conversation + '/events';
      const response = await fetch(url, { headers, signal: stream.signal });
      if (response.status === 401) { logIn(); return; }
      if (!response.ok) { await refused(response); turn = null; return; }
      trouble.textContent = '';
      wait = 500;
      const original = handlers.done;
      handlers.done = (data) => { original(data); if (!turn) stream.abort(); };
      try { await read(response); } finally { handlers.done = original; }
    } catch (error) {
      if (turn) console.warn('the stream broke off', error);
    }
  }
  trouble.textContent = '';
}

// The session ended: what was typed is there again after the login, in this tab.
function logIn() {
  sessionStorage.setItem('parlor.plain', message.value);
  location.assign('/login?ended=1&next=' + encodeURIComponent('/chat?plain'));
}

async function refused(response) {
  if (response.status === 401) { logIn(); return; }
  let text = document.body.dataset.failed;
  try {
    const { code, message } = (await response.json()).error;
    text = code === 'input_blocked' ? document.body.dataset.blocked : message;
  } catch { /* not JSON */ }
  trouble.textContent = text;
}

function busy(on) {
  sendButton.hidden = on;
  stopButton.hidden = !on;
}

async function send(text) {
  const request = { message: text, client_message_id: crypto.randomUUID?.() ?? String(Math.random()) };
  if (conversation) request.conversation_id = conversation;
  trouble.textContent = '';
  busy(true);
  try {
    const response = await fetch('/api/chat', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(request),
    });
    if (!response.ok) { message.value = text; await refused(response); return; }
    try { await read(response); } catch (error) { console.warn('the stream broke off', error); }
    if (turn) await resume();
  } catch {
    message.value = text;
    trouble.textContent = document.body.dataset.failed;
  } finally {
    busy(false);
    message.focus();
  }
}

document.getElementById('composer').addEventListener('submit', (event) => {
  event.preventDefault();
  const text = message.value;
  if (!text.trim() || sendButton.hidden) return;
  message.value = '';
  send(text);
});

message.addEventListener('keydown', (event) => {
  if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) {
    event.preventDefault();
    document.getElementById('composer').requestSubmit();
  }
});

stopButton.addEventListener('click', () => {
  if (conversation) fetch('/api/conversations/' + conversation + '/stop', { method: 'POST' });
});
