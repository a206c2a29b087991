import { expect, test } from './fixtures';
import { words } from './model';

const PAYLOADS = [
  '<script>window.pwned = 1</script>',
  '<img src=x onerror="window.pwned = 1">',
  '<svg onload="window.pwned = 1"></svg>',
  '[click](javascript:window.pwned=1)',
  '<iframe srcdoc="<script>parent.pwned = 1</script>"></iframe>',
  '<a href="javascript:window.pwned=1">x</a>',
  '![p](https://evil.example/leak.png)',
  '<style>body { display: none }</style>',
  '<form action="https://evil.example"><button>Log in</button></form>',
];

/** U-5, FAULTS 26: hostile text from the model, from people and in a title runs nothing and loads nothing. */
test('hostile text runs nothing and loads nothing', async ({ chat, page }) => {
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  const text = PAYLOADS.join('\n\n');
  await chat.say(`Be hostile ${PAYLOADS[1]}`, words(text));
  await expect(chat.answers).toContainText('window.pwned = 1');
  await expect(chat.send).toBeVisible();
  for (const link of await page.locator('main a').all()) {
    expect(await link.getAttribute('rel')).toContain('noopener');
    expect(await link.getAttribute('href')).not.toMatch(/^javascript/i);
  }
  await expect(page.locator('main').locator('script, iframe, style, form[action*=evil], img:not([src^="/api/images/"])')).toHaveCount(0);
  expect(await page.evaluate(() => (window as unknown as { pwned?: number }).pwned)).toBeUndefined();
  expect(asked.filter((url) => !url.startsWith(chat.server.url))).toEqual([]);
  await expect(page.locator('body')).toBeVisible();
});

/** FAULTS 26: file names and errors of the model are shown as text, or not at all. */
test('hostile file names and errors run nothing', async ({ chat, page }) => {
  const png = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');
  await page.setInputFiles('input[type=file]', { name: `${PAYLOADS[1]}.png`, mimeType: 'image/png', buffer: png });
  await expect(page.getByText(`${PAYLOADS[1]}.png`)).toBeVisible();
  await page.getByRole('button', { name: /^Remove / }).click();
  await chat.say('Fail with a bang', [{ status: 400, saying: PAYLOADS.join(' ') }]);
  await expect(page.getByRole('heading', { name: 'That did not work' })).toBeVisible();
  await page.getByRole('button', { name: 'Details' }).click();
  await expect(page.locator('main').locator('script, iframe, style, img')).toHaveCount(0);
  expect(await page.evaluate(() => (window as unknown as { pwned?: number }).pwned)).toBeUndefined();
});

/** The content security policy, as the browser received it. */
test('the page comes with a strict policy', async ({ chat, page }) => {
  const response = await page.goto(`${chat.server.url}/chat`);
  const policy = response?.headers()['content-security-policy'] ?? '';
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("require-trusted-types-for 'script'");
  expect(policy).not.toMatch(/unsafe|data:|\*/);
  const html = (await response?.text()) ?? '';
  expect(html).not.toMatch(/<script(?![^>]*src=)|style=|onload=/);
  const blocked = await page.evaluate(() => {
    const element = document.createElement('div');
    try {
      element.innerHTML = '<img src=x>';
      return 'allowed';
    } catch {
      return 'refused';
    }
  });
  expect(blocked, 'Trusted Types').toBe('refused');
});

/** Files are compressed and cached without expiry; only those that can change are requested again. */
test('files are compressed and kept', async ({ chat, request }) => {
  const page = await request.get(`${chat.server.url}/login`);
  expect(page.ok()).toBe(true);
  const names = await chat.page.evaluate(() => performance.getEntriesByType('resource').map((one) => new URL(one.name).pathname));
  const script = names.find((name) => /^\/assets\/index-.*\.js$/.test(name));
  const answer = await request.get(`${chat.server.url}${script}`, { headers: { 'accept-encoding': 'br' } });
  expect(answer.headers()).toMatchObject({ 'content-encoding': 'br', 'cache-control': 'public, max-age=31536000, immutable' });
  const again = await request.get(`${chat.server.url}${script}`, { headers: { 'accept-encoding': 'br', 'if-none-match': answer.headers()['etag'] ?? '' } });
  expect(again.status()).toBe(304);
});
