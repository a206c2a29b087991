// A chat of Parlor inside a page of another site: a button, and a frame of our own origin. See docs/embed.md.
//
// The page and the frame say to each other that it opens or closes, how much is unread, how it looks, and the
// token with which a visitor comes in. What is said in the chat never passes here.
(() => {
  'use strict';
  const script = document.currentScript;
  const set = window.ParlorChat || {};
  const data = script ? script.dataset : {};
  if (!script || !data.project || set.open) return;

  const VERSION = 1;
  const home = new URL(script.src);
  const tenant = data.tenant || 'home';
  const path = `/embed/${encodeURIComponent(tenant)}/${encodeURIComponent(data.project)}`;
  const left = data.position === 'left';
  const asked = data.language || document.documentElement.lang || navigator.language || 'en';
  const pt = asked.toLowerCase().startsWith('pt');
  const texts = pt
    ? { open: 'Abrir o chat', close: 'Fechar o chat', chat: 'Chat', unread: (n) => `${n} ${n === 1 ? 'mensagem nova' : 'mensagens novas'}` }
    : { open: 'Open the chat', close: 'Close the chat', chat: 'Chat', unread: (n) => `${n} ${n === 1 ? 'new message' : 'new messages'}` };

  // What the page says is parsed here and once more in the frame; what does not fit is left out.
  const look = (from) => {
    const fits = {};
    if (/^(auto|light|dark)$/.test(from.theme)) fits.theme = from.theme;
    if (/^#[0-9a-f]{6}$/i.test(from.accent)) fits.accent = from.accent;
    if (/^\d{1,2}$/.test(from.radius) && Number(from.radius) <= 24) fits.radius = Number(from.radius);
    if (/^[\w \-,'"]{1,200}$/.test(from.font)) fits.font = from.font;
    return fits;
  };
  let shown = { theme: 'auto', ...look(data) };

  const SHEET = `
    :host { all: initial; }
    button { position: fixed; bottom: 20px; z-index: 2147483000; width: 56px; height: 56px; padding: 0; border: 0; border-radius: 50%;
      display: grid; place-items: center; cursor: pointer; background: var(--accent); color: var(--ink);
      box-shadow: 0 1px 2px rgb(0 0 0 / .2), 0 6px 20px rgb(0 0 0 / .24); }
    button:focus-visible { outline: 3px solid var(--accent); outline-offset: 3px; }
    svg { width: 26px; height: 26px; }
    span { position: absolute; top: -4px; inset-inline-end: -4px; min-width: 22px; height: 22px; padding: 0 6px; box-sizing: border-box;
      border-radius: 11px; background: #b3261e; color: #fff; font: 600 13px/22px system-ui, sans-serif; text-align: center; }
    iframe { position: fixed; bottom: 88px; z-index: 2147483000; width: 400px; height: min(640px, calc(100dvh - 108px)); border: 0;
      border-radius: var(--radius); background: Canvas; box-shadow: 0 2px 6px rgb(0 0 0 / .16), 0 12px 40px rgb(0 0 0 / .28); }
    .end { right: 20px; } .start { left: 20px; }
    [hidden] { display: none; }
    .shut { visibility: hidden; pointer-events: none; }
    @media (max-width: 480px), (max-height: 480px) {
      iframe { inset: 0; width: 100%; height: 100dvh; border-radius: 0; }
      .opened { display: none; }
    }`;

  const host = document.createElement('div');
  host.setAttribute('role', 'region');
  host.setAttribute('aria-label', texts.chat);
  const root = host.attachShadow({ mode: 'open' });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(SHEET);
  root.adoptedStyleSheets = [sheet];

  const button = document.createElement('button');
  button.type = 'button';
  button.className = left ? 'start' : 'end';
  const icon = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  icon.setAttribute('viewBox', '0 0 24 24');
  icon.setAttribute('aria-hidden', 'true');
  const line = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  for (const [name, value] of [['fill', 'none'], ['stroke', 'currentColor'], ['stroke-width', '2'], ['stroke-linecap', 'round'], ['stroke-linejoin', 'round']]) line.setAttribute(name, value);
  icon.append(line);
  const badge = document.createElement('span');
  badge.hidden = true;
  badge.setAttribute('aria-hidden', 'true');
  button.append(icon, badge);
  root.append(button);

  let frame = null;
  let ready = false;
  let opened = false;
  let unread = 0;

  const dark = matchMedia('(prefers-color-scheme: dark)');
  const luminance = (colour) => {
    const part = (at) => {
      const value = parseInt(colour.slice(at, at + 2), 16) / 255;
      return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
    };
    return 0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5);
  };

  function draw() {
    const accent = shown.accent || '#2f6f5e';
    host.style.setProperty('--accent', accent);
    // Whichever of white and black is read better on it.
    host.style.setProperty('--ink', luminance(accent) > 0.179 ? '#000000' : '#ffffff');
    host.style.setProperty('--radius', `${shown.radius ?? 14}px`);
    host.style.colorScheme = shown.theme === 'auto' ? (dark.matches ? 'dark' : 'light') : shown.theme;
    line.setAttribute('d', opened ? 'M6 6l12 12M18 6L6 18' : 'M21 12a8 8 0 0 1-8 8H4l2-3.5A8 8 0 1 1 21 12z');
    button.classList.toggle('opened', opened);
    button.setAttribute('aria-expanded', String(opened));
    const label = data.label && data.label.length <= 60 ? data.label : texts.open;
    button.setAttribute('aria-label', opened ? texts.close : unread > 0 ? `${label} (${texts.unread(unread)})` : label);
    badge.hidden = opened || unread === 0;
    badge.textContent = unread > 99 ? '99+' : String(unread);
    // Not `hidden`: what is not laid out loses its place, and is hardly run.
    if (frame) frame.classList.toggle('shut', !opened);
  }

  function tell(type, fields) {
    if (ready && frame.contentWindow) frame.contentWindow.postMessage({ parlor: VERSION, type, ...fields }, home.origin);
  }

  function load() {
    if (frame) return;
    frame = document.createElement('iframe');
    frame.title = data.label && data.label.length <= 60 ? data.label : texts.chat;
    frame.className = left ? 'start' : 'end';
    frame.allow = 'clipboard-write';
    frame.referrerPolicy = 'no-referrer';
    frame.src = `${home.origin}${path}#${pt ? 'pt' : 'en'}`;
    root.append(frame);
  }

  function open() {
    load();
    opened = true;
    unread = 0;
    draw();
    tell('opened');
    frame.focus();
  }

  function close() {
    if (!opened) return;
    opened = false;
    draw();
    tell('closed');
    button.focus();
  }

  // The site's own server says who the visitor is, and gets the token with its key.
  async function token() {
    if (typeof set.getToken === 'function') return set.getToken();
    if (!data.tokenUrl) throw new Error('ParlorChat: data-token-url or ParlorChat.getToken is missing');
    const address = new URL(data.tokenUrl, document.baseURI);
    const response = await fetch(address, { method: 'POST', credentials: 'same-origin', headers: { accept: 'application/json' } });
    if (!response.ok) throw new Error(`ParlorChat: ${address.pathname} answered ${response.status}`);
    return (await response.json()).token;
  }

  async function giveToken() {
    try {
      const given = await token();
      if (typeof given !== 'string' || given.length > 200) throw new Error('ParlorChat: there is no token in the answer');
      tell('token', { token: given });
    } catch (error) {
      console.error(error);
      tell('no-token');
    }
  }

  window.addEventListener('message', (event) => {
    const said = event.data;
    const isOurs = frame !== null && event.source === frame.contentWindow && event.origin === home.origin;
    if (!isOurs || said === null || typeof said !== 'object' || said.parlor !== VERSION) return;
    if (said.type === 'ready') {
      ready = true;
      tell('look', shown);
      tell(opened ? 'opened' : 'closed');
    } else if (said.type === 'token-wanted') {
      void giveToken();
    } else if (said.type === 'close') {
      close();
    } else if (said.type === 'unread' && Number.isInteger(said.count) && said.count >= 0) {
      unread = opened ? 0 : Math.min(said.count, 999);
      draw();
    }
  });

  button.addEventListener('click', () => (opened ? close() : open()));
  dark.addEventListener('change', draw);
  draw();
  const show = () => document.body.append(host);
  if (document.body) show();
  else document.addEventListener('DOMContentLoaded', show, { once: true });

  window.ParlorChat = Object.assign(set, {
    open,
    close,
    toggle: () => (opened ? close() : open()),
    /** theme, accent, radius, font: what is not named stays. */
    setLook(wanted) {
      const { radius, ...rest } = wanted || {};
      shown = { ...shown, ...look({ ...rest, radius: radius === undefined ? undefined : String(radius) }) };
      draw();
      tell('look', shown);
    },
    /** Ends the visitor's session, here and on their other devices. */
    logOut: () => tell('log-out'),
  });
})();
