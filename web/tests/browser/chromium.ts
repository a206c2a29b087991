/** A browser to test in: the system's, or one that comes as a package and needs no rights. */

import { existsSync } from 'node:fs';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

export async function chromium(): Promise<{ executablePath: string; args: string[] }> {
  const own = process.env['PARLOR_CHROMIUM'] ?? PLACES.find((place) => existsSync(place));
  // Inside containers, and as root, there is no sandbox to be had.
  if (own !== undefined) return { executablePath: own, args: ['--no-sandbox', '--disable-gpu'] };
  const { default: packed } = await import('@sparticuz/chromium');
  return { executablePath: await packed.executablePath(), args: [...packed.args, '--no-sandbox'] };
}
