/** The real agent CLI, as the server's tests install it: below `target`, exactly as its lock file says. */

import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../../..');
const SOURCE = join(ROOT, 'crates/server/tests/e2e/bridge/agent_cli');
const PLACE = join(process.env['CARGO_TARGET_DIR'] ?? join(ROOT, 'target'), 'tmp/bridge-agent_cli');

/** The path of its program; it is installed if it is missing. */
export function agentProgram(): string {
  const lock = readFileSync(join(SOURCE, 'package-lock.json'), 'utf8');
  const mark = join(PLACE, 'installed.json');
  if (!existsSync(mark) || readFileSync(mark, 'utf8') !== lock) {
    mkdirSync(PLACE, { recursive: true });
    for (const file of readdirSync(SOURCE)) copyFileSync(join(SOURCE, file), join(PLACE, file));
    execFileSync('npm', ['ci', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund'], { cwd: PLACE, stdio: 'inherit' });
    writeFileSync(mark, lock);
  }
  const packages = join(PLACE, 'node_modules/@anthropic-ai');
  const program = readdirSync(packages).map((name) => join(packages, name, 'claude')).find((file) => existsSync(file));
  if (program === undefined) throw new Error('there is no agent CLI for this platform');
  return program;
}
