// A network that can fail: it stands before the client's `fetch`, remembers the requests, and loses
// connections when told so.

const real = globalThis.fetch;
const open = new Set();
const sent = [];
let again;
let waiting = 0;

globalThis.fetch = async (url, init = {}) => {
  if (again) [url, init] = [again.url, { ...again.init, signal: init.signal }];
  else sent.push({ url, init });
  again = undefined;
  const lost = new AbortController();
  open.add(lost);
  const signals = init.signal ? [init.signal, lost.signal] : [lost.signal];
  waiting += 1;
  try {
    return await real(url, { ...init, signal: AbortSignal.any(signals) });
  } finally {
    waiting -= 1;
  }
};

/** Closes all connections. The client sees the error of a browser whose connection broke. */
export function lose() {
  for (const connection of open) connection.abort(new TypeError("network error"));
  open.clear();
}

/** The client's next request is replaced by its last one to such an address, byte for byte. */
export function repeatNext(end = "") {
  again = sent.findLast(({ url }) => String(url).endsWith(end));
}

/** What the last request carried, if it was a POST. */
export const lastBody = () => sent.at(-1)?.init.body && JSON.parse(sent.at(-1).init.body);

/** Whether a request waits for the head of its response. */
export const isWaiting = () => waiting > 0;
