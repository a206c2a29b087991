/** The real binary, with a directory and a port of its own. */

import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const PASSWORD = 'family password';
export const ADMIN_PASSWORD = 'admin password';
export const API_KEY = 'a-key-for-the-tests-of-the-browser';

const BINARY =
  process.env['PARLOR_BINARY'] ??
  join(process.env['CARGO_TARGET_DIR'] ?? join(import.meta.dirname, '../../../target'), 'debug/parlor');

export class ParlorServer {
  private child: ChildProcess | null = null;
  private readonly directory = mkdtempSync(join(tmpdir(), 'parlor-browser-'));
  url = '';

  /** With the address of a model, or with the demo model. */
  constructor(
    private readonly model: string | null,
    private readonly config = '',
  ) {}

  async start(): Promise<void> {
    if (!existsSync(BINARY)) throw new Error(`${BINARY} is not there: cargo build -p parlor-server`);
    const bind = this.url === '' ? '127.0.0.1:0' : new URL(this.url).host;
    writeFileSync(join(this.directory, 'parlor.toml'), this.config);
    const child = spawn(BINARY, ['serve', '--bind', bind, '--data-dir', join(this.directory, 'data')], {
      cwd: this.directory,
      env: {
        PATH: process.env['PATH'],
        PARLOR_PASSWORD: PASSWORD,
        PARLOR_ADMIN_PASSWORD: ADMIN_PASSWORD,
        PARLOR_API_KEY: API_KEY,
        PARLOR_LIMITS_MESSAGES_PER_MINUTE: '1000',
        ...(this.model === null ? {} : { ANTHROPIC_API_KEY: 'sk-test', ANTHROPIC_BASE_URL: this.model }),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.child = child;
    this.url = await addressOf(child);
    // The samples are in the language of the first reader: here they are English, whichever test comes first.
    await fetch(`${this.url}/api/recipes`, { headers: { 'X-API-Key': API_KEY } });
  }

  /** Whether a text is in the files of the database, and so survives a crash. */
  hasStored(text: string): boolean {
    const files = ['parlor.db', 'parlor.db-wal'].map((name) => join(this.directory, 'data', name));
    return files.some((file) => existsSync(file) && readFileSync(file).includes(text));
  }

  /** Kills it, as a crash would. */
  async kill(): Promise<void> {
    const { child } = this;
    if (!child || child.exitCode !== null) return;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await gone;
  }

  async end(): Promise<void> {
    await this.kill();
    rmSync(this.directory, { recursive: true, force: true });
  }
}

/** The project with Recipe Vault, if there is another one beside it. */
const RECIPES = `
[tenants.home]
default_project = "recipes"

[tenants.home.projects.recipes]
name = "Recipes"

`;

/** A second project beside the one with Recipe Vault, with an agent CLI. */
export function withAgent(program: string, model: string, workspace: string, home: string): string {
  return `${RECIPES}[tenants.home.projects.desk]
name = "Desk"

[tenants.home.projects.desk.agent]
kind = "claude_code"
base_url = ${JSON.stringify(model)}

[tenants.home.projects.desk.agent.claude_code]
command = ${JSON.stringify(program)}
working_dir = ${JSON.stringify(workspace)}

[tenants.home.projects.desk.agent.claude_code.env]
HOME = ${JSON.stringify(home)}
ANTHROPIC_API_KEY = { env = "ANTHROPIC_API_KEY" }
`;
}

/** A second project beside the one with Recipe Vault, with the tools of `tools.mjs`. */
export function withWorkshop(): string {
  return `${RECIPES}[tenants.home.projects.workshop]
name = "Workshop"

[tenants.home.projects.workshop.mcp.workshop]
command = ${JSON.stringify(process.execPath)}
args = [${JSON.stringify(join(import.meta.dirname, 'tools.mjs'))}]
prefix = ""
trust_annotations = true

[tenants.home.projects.workshop.mcp.workshop.tools.impatient]
prompt_timeout_seconds = 2
`;
}

function addressOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = '';
    const hear = (data: Buffer) => {
      said += data.toString();
      const address = /listening on (http:\/\/\S+)/.exec(said)?.[1];
      if (address) resolve(address);
    };
    child.stdout?.on('data', hear);
    child.stderr?.on('data', hear);
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}:\n${said}`)));
  });
}
