#!/usr/bin/env node
// Starts the binary that npm installed for this platform, with the same arguments, input and output.
"use strict";

const { spawn } = require("node:child_process");

const name = `@parlor/${process.platform}-${process.arch}`;

function binary() {
  try {
    return require.resolve(`${name}/parlor`);
  } catch {
    console.error(
      `parlor: ${name} is not installed. Either there is no package for this platform, or optional ` +
        "dependencies were left out (--omit=optional). The project's page has other ways to install it.",
    );
    process.exit(1);
  }
}

const child = spawn(binary(), process.argv.slice(2), { stdio: "inherit" });

// A signal to this process is meant for the server, which ends in good order.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => child.kill(signal));
}
child.on("error", (error) => {
  console.error(`parlor: the program could not be started: ${error.message}`);
  process.exit(1);
});
child.on("exit", (code, signal) => {
  if (signal === null) process.exit(code);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
