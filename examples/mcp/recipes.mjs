// Lists the tools and the recipes of Recipe Vault with the official MCP client.

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const { PARLOR_URL = "http://127.0.0.1:8787", PARLOR_KEY } = process.env;
const client = new Client({ name: "example", version: "1.0.0" });
await client.connect(
  new StreamableHTTPClientTransport(new URL(`${PARLOR_URL}/mcp/recipes`), {
    requestInit: { headers: { "X-API-Key": PARLOR_KEY } },
  }),
);
const { tools } = await client.listTools();
console.log(tools.map(({ name }) => name).join(", "));
const { content } = await client.callTool({ name: "list_recipes", arguments: {} });
for (const { text } of content) console.log(text);
await client.close();
