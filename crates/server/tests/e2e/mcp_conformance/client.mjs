// The client that the suite tests: `parlor mcp probe`, told by the suite's variables what to do.
//
//   node client.mjs PARLOR URL
//
// It calls what a scenario names, and otherwise every tool. Where a person has to log in, it does
// what their browser would: it opens the address that the program shows.

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

const [parlor, url] = process.argv.slice(2);
const scenario = process.env.MCP_CONFORMANCE_SCENARIO;
const version = process.env.MCP_CONFORMANCE_PROTOCOL_VERSION;
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? "{}");

/** How a scenario wants the client to log in. */
function login() {
  if (!scenario.startsWith("auth/")) return [];
  const metadata = ["--client-metadata-url", "https://conformance-test.local/client-metadata.json"];
  const given = context.client_id && ["--client-id", context.client_id];
  const secret = context.client_secret && ["--client-secret-env", "CLIENT_SECRET"];
  return ["--login", ...(given ?? metadata), ...(secret ?? [])];
}

/** Runs the probe to its end; returns its exit code and its report. */
function probe(...more) {
  const protocol = version >= "2026-07-28" ? "2026-07-28" : "2025-11-25";
  const args = ["mcp", "probe", url, "--json", "--protocol", protocol, ...login(), ...more];
  args.push("--timeout", "100");
  const env = { ...process.env, CLIENT_SECRET: context.client_secret };
  const child = spawn(parlor, args, { env, stdio: ["ignore", "pipe", "pipe"] });
  let [report, log] = ["", ""];
  child.stdout.on("data", (text) => (report += text));
  const lines = createInterface({ input: child.stderr });
  lines.on("line", (line) => {
    log += `${line}\n`;
    const page = line.match(/^log in at (.*)$/)?.[1];
    if (page) fetch(page).catch((error) => (log += `the browser failed: ${error}\n`));
  });
  return new Promise((resolve) =>
    child.on("close", (code) => {
      process.stdout.write(report);
      process.stderr.write(log);
      resolve({ code, report: report ? JSON.parse(report) : {} });
    }),
  );
}

const call = ({ name, arguments: values }) => ["--call", `${name}=${JSON.stringify(values)}`];

let ended;
if (context.toolCalls) {
  ended = await probe(...context.toolCalls.flatMap(call));
} else if (scenario === "json-schema-2020-12-preservation") {
  const { report } = await probe();
  const schema = report.tools?.[0]?.input_schema;
  ended = await probe(...call({ name: "json_schema_echo", arguments: { schema } }));
} else {
  ended = await probe("--call-all");
}
process.exit(ended.code);
