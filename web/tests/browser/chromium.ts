/** The browser of the tests: the system's, or one from a package, which needs no installation rights. */

import { existsSync } from 'node:fs';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

export async function chromium(): Promise<{ executablePath: string; args: string[] }> {
  const own = process.env['PARLOR_CHROMIUM'] ?? PLACES.find((place) => existsSync(place));
  // In containers, and as root, no sandbox is available. The package's own flags are left out: they
  // run everything in one process, which ends with its first page.
  const args = ['--no-sandbox', '--disable-gpu'];
  if (own !== undefined) return { executablePath: own, args };
  const { default: packed } = await import('@sparticuz/chromium');
  return { executablePath: await packed.executablePath(), args };
}
