// A shop's own server: its page, and the tokens with which its visitors come in.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

const { PARLOR_URL, PARLOR_KEY, PORT = '5180', PROJECT = 'recipes', VISITOR = 'customer-42' } = process.env;
const file = (name) => readFileSync(new URL(name, import.meta.url), 'utf8');
// What a site's own policy has to allow: our script, our frame, and the shop's own address for tokens.
const POLICY = `default-src 'none'; style-src 'self'; script-src ${PARLOR_URL}; frame-src ${PARLOR_URL}; connect-src 'self'`;

async function token(request, response) {
  // Here the shop looks who is logged in to it.
  const person = { id: VISITOR };
  const body = JSON.stringify({ project: PROJECT, origin: `http://${request.headers.host}`, person });
  const headers = { 'x-api-key': PARLOR_KEY, 'content-type': 'application/json' };
  const made = await fetch(`${PARLOR_URL}/api/embed/tokens`, { method: 'POST', headers, body });
  response.writeHead(made.status, { 'content-type': 'application/json', 'cache-control': 'no-store' }).end(await made.text());
}

const server = createServer((request, response) => {
  // Only the shop's own pages get one.
  if (request.url === '/parlor-token' && request.method === 'POST' && request.headers['sec-fetch-site'] === 'same-origin') return token(request, response);
  if (request.url === '/shop.css') return response.writeHead(200, { 'content-type': 'text/css' }).end(file('shop.css'));
  if (request.url !== '/') return response.writeHead(404).end();
  const page = file('index.html').replace('PARLOR_URL', PARLOR_URL).replace('"recipes"', JSON.stringify(PROJECT));
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': POLICY }).end(page);
});
server.listen(Number(PORT), '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
