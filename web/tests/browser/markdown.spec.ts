/** Formulas, diagrams, tables, footnotes and code in a real browser, under the real policy. */

import type { Page, Request } from '@playwright/test';

import { expect, expectAccessible, test } from './fixtures';
import { words } from './model';

/** What the policy of the page refused. */
async function refusals(page: Page): Promise<() => Promise<string[]>> {
  await page.evaluate(() => {
    const found: string[] = [];
    (window as unknown as { refused: string[] }).refused = found;
    document.addEventListener('securitypolicyviolation', (event) => found.push(`${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}`));
  });
  return () => page.evaluate(() => (window as unknown as { refused: string[] }).refused);
}

const FORMULAS = 'The roots are $x_{1,2} = \\frac{-b \\pm \\sqrt{b^2 - 4ac}}{2a}$, and \\(n \\in \\mathbb{N}\\) costs $5 or $10.\n\n$$\n\\int_0^\\infty e^{-x^2}\\,dx = \\frac{\\sqrt{\\pi}}{2}\n$$\n\n\\[\nA = \\begin{pmatrix} a & b \\\\ c & d \\end{pmatrix}, \\quad \\sum_{k=1}^{n} k = \\left\\lceil \\frac{n(n+1)}{2} \\right\\rceil\n\\]\n\n$$\\brokencommand{x}$$\n';

const FLOW = '```mermaid\nflowchart LR\n  accTitle: How bread is made\n  A[Mix the dough] --> B{Has it risen?}\n  B -- yes --> C[Bake]\n  B -- not yet --> D[Wait an hour]\n  D --> B\n```\n';
const SEQUENCE = '```mermaid\nsequenceDiagram\n  Ana->>Oven: Heat to 220°\n  Oven-->>Ana: Ready\n```\n';

/** U-9: formulas are drawn as MathML; nothing about them is refused by the policy. */
test('formulas are drawn @both', async ({ chat, page }) => {
  const refused = await refusals(page);
  await chat.say('Do the math', words(FORMULAS));
  await expect(chat.send).toBeVisible();
  const math = chat.answers.locator('math');
  await expect(math).toHaveCount(4);
  await expect(chat.answers).toContainText('costs $5 or $10');
  await expect(chat.answers.getByText('\\brokencommand{x}')).toBeVisible();
  // A fraction is taller than a letter: it is drawn, not written in a line.
  const [fraction, letter] = await Promise.all([math.nth(2).locator('mfrac').first().boundingBox(), math.nth(2).locator('mi').first().boundingBox()]);
  expect(fraction!.height).toBeGreaterThan(letter!.height * 1.5);
  await expectAccessible(page, 'formulas');
  expect(await refused()).toEqual([]);
});

/** U-9: a diagram is a picture in the colours of the page, with a name and its source. */
test('diagrams are drawn @both', async ({ chat, page }) => {
  const refused = await refusals(page);
  await chat.say('Draw how bread is made', words(`${FLOW}\n${SEQUENCE}`));
  const picture = page.getByRole('img', { name: 'How bread is made' });
  await expect(picture).toBeVisible();
  await expect(page.getByRole('img', { name: 'Diagram (sequence)' })).toBeVisible();
  const width = await picture.evaluate((image: HTMLImageElement) => image.decode().then(() => image.naturalWidth));
  expect(width).toBeGreaterThan(200);
  const light = await picture.getAttribute('src');
  await expectAccessible(page, 'diagrams');
  await page.emulateMedia({ colorScheme: 'dark' });
  await expect(picture).not.toHaveAttribute('src', light!);
  await page.getByRole('button', { name: 'Show the source' }).first().click();
  await expect(page.getByLabel('Source of the diagram')).toContainText('A[Mix the dough]');
  expect(await refused()).toEqual([]);
});

/** U-5, FAULTS 26: a diagram cannot reach the page, the network or another diagram. */
test('hostile diagrams reach nothing', async ({ chat, page }) => {
  // The picture of a node is asked for inside the frame, whose policy refuses it.
  chat.foreseen = /^Loading the image 'https:\/\/evil\.example\/e\.png' violates/;
  const asked: Request[] = [];
  page.on('request', (request) => asked.push(request));
  const hostile = [
    'flowchart LR\n  A["<img src=x onerror=parent.pwned=1>"] --> B["<script>parent.pwned=1</script>"]\n  click A href "javascript:parent.pwned=1"\n  click B call pwn()',
    '%%{init: {"securityLevel": "loose", "htmlLabels": true, "flowchart": {"htmlLabels": true}, "themeCSS": "* { background: url(https://evil.example/a) }"}}%%\nflowchart LR\n  A["<iframe src=https://evil.example></iframe><b onclick=parent.pwned=1>x</b>"]',
    'flowchart LR\n  A:::x --> B\n  classDef x fill:url(https://evil.example/b),background:url(https://evil.example/c)\n  style B fill:#f00;}</style><script>parent.pwned=1</script>',
    '---\nconfig:\n  securityLevel: loose\n  themeVariables:\n    primaryColor: "red;} * { background: url(https://evil.example/d) }"\n---\nflowchart LR\n  A@{ img: "https://evil.example/e.png", label: "x" }',
    'this is no diagram at all',
    `flowchart LR\n${Array.from({ length: 400 }, (_, at) => `  a${at} --> a${at + 1}`).join('\n')}`,
    `flowchart LR\n  A["${'long '.repeat(5_000)}"]`,
  ];
  await chat.say('Draw these', words(`${hostile.map((one) => `\`\`\`mermaid\n${one}\n\`\`\``).join('\n\n')}\n\nAll drawn.`));
  await expect(page.getByText('All drawn.', { exact: true })).toBeVisible();
  await expect(chat.send).toBeVisible();
  for (let at = 0; at < hostile.length; at += 1) {
    // A diagram that is drawn takes the place of its box.
    await expect(() => page.locator('.markdown > :is(figure, div)').nth(at).scrollIntoViewIfNeeded({ timeout: 1_000 })).toPass();
  }
  await expect(page.getByText('Drawing…')).toHaveCount(0);
  await expect(page.getByText('This diagram cannot be drawn.').first()).toBeVisible();
  await expect(page.getByText('This diagram is too large').first()).toBeVisible();
  await expect(page.getByLabel('Code, mermaid').filter({ hasText: 'this is no diagram at all' })).toBeVisible();
  for (const frame of page.frames()) expect(await frame.evaluate(() => (window as unknown as { pwned?: number }).pwned)).toBeUndefined();
  const elsewhere = asked.filter((one) => !one.url().startsWith(chat.server.url) && !one.url().startsWith('blob:'));
  expect(elsewhere.filter((one) => !/csp/i.test(one.failure()?.errorText ?? '')).map((one) => one.url()), 'nothing left the browser').toEqual([]);
  await expect(page.locator('main').locator('script, iframe, style, svg:not([aria-hidden])')).toHaveCount(0);
});

/** The frame has no origin and no network, also if its own script were somebody else's. */
test('the frame of diagrams is a sandbox', async ({ chat, page }) => {
  chat.foreseen = /evil\.example|inline event handler|\/api\/me/;
  await chat.say('Draw one', words(FLOW));
  await expect(page.getByRole('img', { name: 'How bread is made' })).toBeVisible();
  const source = await page.locator('iframe[title=Mermaid]').getAttribute('src');
  const frame = page.frames().find((one) => one.url().endsWith(source!))!;
  const reached = await frame.evaluate(async () => {
    const attempt = async (what: () => unknown) => {
      try {
        return String(await what());
      } catch {
        return 'refused';
      }
    };
    const image = document.createElement('img');
    image.setAttribute('onerror', 'window.pwned = 1');
    image.src = 'https://evil.example/p.png';
    document.body.append(image);
    await new Promise((resolve) => setTimeout(resolve, 200));
    return {
      origin: window.origin,
      page: await attempt(() => window.parent.document.title),
      storage: await attempt(() => window.localStorage.length),
      network: await attempt(() => fetch('/api/me').then((answer) => answer.status)),
      inline: String((window as unknown as { pwned?: number }).pwned),
    };
  });
  expect(reached).toEqual({ origin: 'null', page: 'refused', storage: 'refused', network: 'refused', inline: 'undefined' });
  // Opened by itself it has the same policy.
  const alone = await page.request.get(`${chat.server.url}${source}`);
  expect(alone.headers()['content-security-policy']).toContain("sandbox allow-scripts; default-src 'none'");
});

/** U-4: a wide table is scrolled in its own box, by keyboard too; the page is not. */
test('a wide table is scrolled by keyboard @phone', async ({ chat, page }) => {
  const columns = Array.from({ length: 12 }, (_, at) => `Column ${at}`);
  const row = (cells: string[]) => `| ${cells.join(' | ')} |`;
  await chat.say('Show a wide table', words([row(columns), row(columns.map(() => '---')), row(columns.map((one) => `${one} value`))].join('\n')));
  const box = page.getByRole('region', { name: 'Table' });
  await expect(box).toBeVisible();
  await expect(chat.send).toBeVisible();
  await box.focus();
  await page.keyboard.press('End');
  for (let times = 0; times < 5; times += 1) await page.keyboard.press('ArrowRight');
  await expect.poll(() => box.evaluate((element) => element.scrollLeft)).toBeGreaterThan(50);
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)).toBe(true);
  await expectAccessible(page, 'a wide table');
});

/** U-5: long lines of code are wrapped on demand; copying gives the code as it was written. */
test('code is wrapped on demand, and copied as it is', async ({ chat, page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const code = `const long = "${'word '.repeat(60)}";\n\nif (long) {\n  return 1;\n}`;
  await chat.say('Write long code', words(`\`\`\`js\n${code}\n\`\`\`\n`));
  const block = page.getByLabel('Code, js');
  await expect(block.locator('.tok-keyword').first()).toBeVisible();
  const isWide = () => block.evaluate((element) => element.scrollWidth > element.clientWidth);
  expect(await isWide()).toBe(true);
  const wrap = page.getByRole('button', { name: 'Wrap long lines' });
  await wrap.press('Enter');
  await expect(wrap).toHaveAttribute('aria-pressed', 'true');
  expect(await isWide()).toBe(false);
  expect(await block.evaluate((element) => element.textContent)).toBe(code);
  await page.getByRole('button', { name: 'Copy code' }).click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(code);
  await expectAccessible(page, 'wrapped code');
});

test('footnotes lead there and back by keyboard', async ({ chat, page }) => {
  await chat.say('Cite something', words('Bread rises[^yeast], and so does the sun[^1].\n\n- In a list[^yeast]\n\n[^yeast]: Because of yeast.\n[^1]: In the east.\n'));
  await expect(chat.send).toBeVisible();
  const there = chat.answers.getByRole('link', { name: 'Footnote 2' });
  await there.focus();
  await page.keyboard.press('Enter');
  await expect(page.locator('li:focus')).toContainText('In the east.');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expect(there).toBeFocused();
  await expectAccessible(page, 'footnotes');
});
