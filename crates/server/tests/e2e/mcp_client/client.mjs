// Drives an MCP server on standard input and output with the official client, in
// one era of the protocol, and prints what it saw as one JSON object:
//
//   node client.mjs legacy|modern COMMAND [ARGS…]

import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

const [era, command, ...args] = process.argv.slice(2);
const mode = era === "modern" ? { pin: "2026-07-28" } : "legacy";
const client = new Client(
  { name: "a-stranger", version: "1.0.0" },
  { versionNegotiation: { mode } },
);
await client.connect(new StdioClientTransport({ command, args, stderr: "inherit" }));

const call = (name, values, run) =>
  client.callTool({
    name,
    arguments: values,
    ...(run && { _meta: { "parlor/run-id": run } }),
  });

const { tools } = await client.listTools();
const listed = await call("list_recipes", {});
const created = await call(
  "create_recipe",
  {
    title: `Toast, ${era}`,
    servings: 1,
    ingredients: [{ name: "bread", quantity: "1/2", unit: "loaf" }],
    steps: [{ instruction: "Toast it.", duration_minutes: 3 }],
  },
  `run-${era}`,
);
const recipe_id = created.structuredContent.id;
const seen = {
  version: client.getNegotiatedProtocolVersion(),
  server: client.getServerVersion(),
  tools,
  listed,
  created,
  read: await call("get_recipe", { recipe_id }),
  displayed: await call("display_recipe", { recipe_id }),
  updated: await call("update_recipe", { recipe_id, servings: 2 }),
  previewed: await call("preview_recipe_change", {
    tool: "delete_recipe",
    arguments: { recipe_id },
  }),
  deleted: await call("delete_recipe", { recipe_id }),
  gone: await call("get_recipe", { recipe_id }),
  unknown: await call("cook_recipe", {}).catch((error) => ({ code: error.code })),
};
await client.close();
console.log(JSON.stringify(seen));
