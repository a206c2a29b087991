/**
 * A scripted model on loopback, with the wire format of the Messages API. The binary under test
 * uses it like any other model.
 */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The reaction to one request, step by step. */
export type Step =
  | { text: string }
  | { thinking: string }
  | { tool: string; input: unknown }
  | { wait: Promise<unknown> }
  | { pause: number }
  | { status: number; saying?: string }
  | { reset: true };

export type Script = Step[] | ((request: ModelRequest) => Step[]);

export interface ModelRequest {
  /** The person's last message. */
  said: string;
  /** The tool results since then. */
  results: string[];
  messages: { role: string; content: unknown }[];
}

/** Lets a test decide when the model continues. */
export function gate(): { open(): void; passed: Promise<void> } {
  let open = () => undefined as void;
  const passed = new Promise<void>((resolve) => (open = resolve));
  return { open, passed };
}

/** A text in pieces, as models send it. */
export const words = (text: string): Step[] => (text.match(/\S+\s*|\s+/g) ?? []).map((piece) => ({ text: piece }));

export class Model {
  private readonly scripts: [RegExp, Script][] = [];
  readonly requests: ModelRequest[] = [];

  private constructor(private readonly server: Server) {}

  static async start(): Promise<Model> {
    const server = createServer();
    const model = new Model(server);
    server.on('request', (request, response) => void model.answer(request, response).catch(() => response.destroy()));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return model;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Sets the reaction to a message; the newest one that matches is used. */
  on(said: RegExp, script: Script): void {
    this.scripts.unshift([said, script]);
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = JSON.parse(Buffer.concat(chunks).toString()) as { messages: ModelRequest['messages'] };
    const asked = { ...lastWords(body.messages), messages: body.messages };
    this.requests.push(asked);
    const script = this.scripts.find(([said]) => said.test(asked.said))?.[1] ?? words(`You said: ${asked.said}`);
    await new Speech(response).speak(typeof script === 'function' ? script(asked) : script);
  }
}

/** Each answer has an id of its own: some clients assemble answers by it. */
let answers = 0;

class Speech {
  private index = -1;
  private open: 'text' | 'thinking' | null = null;
  private tools = 0;

  constructor(private readonly response: ServerResponse) {}

  async speak(steps: Step[]): Promise<void> {
    const failure = steps.find((step) => 'status' in step);
    if (failure && 'status' in failure) {
      this.response.writeHead(failure.status, { 'content-type': 'application/json' });
      this.response.end(JSON.stringify({ type: 'error', error: { type: 'invalid_request_error', message: failure.saying ?? 'The test wants this to fail.' } }));
      return;
    }
    this.response.writeHead(200, { 'content-type': 'text/event-stream' });
    this.send('message_start', {
      message: { id: `msg_${(answers += 1)}`, type: 'message', role: 'assistant', content: [], model: 'scripted', stop_reason: null, usage: { input_tokens: 3, output_tokens: 1 } },
    });
    for (const step of steps) {
      if (this.response.destroyed) return;
      if ('wait' in step) await step.wait;
      else if ('pause' in step) await new Promise((resolve) => setTimeout(resolve, step.pause));
      else if ('reset' in step) return void this.response.destroy();
      else this.say(step);
    }
    this.close();
    this.send('message_delta', { delta: { stop_reason: this.tools > 0 ? 'tool_use' : 'end_turn' }, usage: { output_tokens: 5 } });
    this.send('message_stop', {});
    this.response.end();
  }

  private say(step: Step): void {
    if ('text' in step) this.delta('text', { type: 'text', text: '' }, { type: 'text_delta', text: step.text });
    else if ('thinking' in step) {
      this.delta('thinking', { type: 'thinking', thinking: '', signature: '' }, { type: 'thinking_delta', thinking: step.thinking });
    } else if ('tool' in step) {
      this.close();
      this.index += 1;
      this.tools += 1;
      const id = `toolu_${this.index}_${Date.now()}`;
      this.send('content_block_start', { index: this.index, content_block: { type: 'tool_use', id, name: step.tool, input: {} } });
      this.send('content_block_delta', { index: this.index, delta: { type: 'input_json_delta', partial_json: JSON.stringify(step.input) } });
      this.send('content_block_stop', { index: this.index });
    }
  }

  private delta(kind: 'text' | 'thinking', block: unknown, delta: unknown): void {
    if (this.open !== kind) {
      this.close();
      this.index += 1;
      this.open = kind;
      this.send('content_block_start', { index: this.index, content_block: block });
    }
    this.send('content_block_delta', { index: this.index, delta });
  }

  private close(): void {
    if (this.open === null) return;
    if (this.open === 'thinking') this.send('content_block_delta', { index: this.index, delta: { type: 'signature_delta', signature: 'signed' } });
    this.send('content_block_stop', { index: this.index });
    this.open = null;
  }

  private send(type: string, data: object): void {
    this.response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
  }
}

interface Block {
  type: string;
  text?: string;
  content?: unknown;
}

function blocksOf(content: unknown): Block[] {
  return Array.isArray(content) ? (content as Block[]) : [{ type: 'text', text: String(content) }];
}

function lastWords(messages: ModelRequest['messages']): { said: string; results: string[] } {
  const results: string[] = [];
  for (const { role, content } of messages.toReversed()) {
    if (role !== 'user') continue;
    const blocks = blocksOf(content);
    const told = blocks.filter((block) => block.type === 'tool_result');
    // Tool results that an earlier turn left open may precede the person's text.
    // Messages of a person that follow each other are one.
    const said = blocks.flatMap((block) => (block.type === 'text' ? [block.text ?? ''] : []));
    if (said.length > 0 || told.length === 0) return { said: said.join('\n'), results };
    results.unshift(...told.map((block) => blocksOf(block.content).map((one) => one.text ?? '').join('')));
  }
  return { said: '', results };
}
