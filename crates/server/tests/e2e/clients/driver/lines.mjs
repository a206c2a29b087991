// The line loop of all drivers: one JSON command per line in, JSON lines out. Commands run at the
// same time, so that one can stop or cut off another.

import { createInterface } from "node:readline";

const write = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);

// What a library prints must not come between the lines.
for (const level of ["log", "info", "debug", "warn"]) console[level] = console.error;

// A client that fails outside of a command must not end the driver.
process.on("unhandledRejection", (error) => write({ event: "unhandled", error: plain(error) }));

/** An error of a client, as far as a test can compare it. */
export function plain(error) {
  return {
    name: error?.name === "Error" ? error.constructor.name : error?.name,
    message: error?.message ?? String(error),
    status: error?.status ?? error?.statusCode,
    code: error?.code ?? undefined,
    body: error?.error ?? error?.payload ?? error?.responseBody,
  };
}

/**
 * Serves `commands`: functions of the arguments and of `tell(event, more)`, which writes progress. The
 * client is `ready` before a command starts.
 */
export function serve(commands, ready = () => {}) {
  const run = async ({ cmd, n, ...args }) => {
    const tell = (event, more) => write({ n, event, ...more });
    try {
      if (!commands[cmd]) throw new Error(`this client has no '${cmd}'`);
      await ready();
      write({ n, done: cmd, ...(await commands[cmd](args, tell)) });
    } catch (error) {
      write({ n, done: cmd, error: plain(error) });
    }
  };
  const lines = createInterface({ input: process.stdin });
  lines.on("line", (line) => run(JSON.parse(line)));
  lines.on("close", () => process.exit(0));
}
