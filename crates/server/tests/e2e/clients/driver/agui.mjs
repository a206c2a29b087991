// Drives HttpAgent of @ag-ui/client, of any version.

import { serveAgent } from "./agent.mjs";

const { PARLOR_URL, PARLOR_KEY, PARLOR_PROJECT = "recipes" } = process.env;
const place = `${PARLOR_URL}/agent/${PARLOR_PROJECT}`;

export async function drive(load) {
  const { HttpAgent } = await load("@ag-ui/client");
  const headers = { "X-API-Key": PARLOR_KEY };
  serveAgent({
    open: (threadId) => new HttpAgent({ url: `${place}/run`, headers, threadId }),
    run: (agent, parameters) => agent.runAgent(parameters),
    // The client itself loads nothing; an app that wants its history back asks the route `connect`.
    async reload(agent, { messages = [], connect }) {
      agent.setMessages(messages);
      if (!connect) return agent.connectAgent();
      agent.url = `${place}/connect`;
      return agent.runAgent().finally(() => (agent.url = `${place}/run`));
    },
    stop: (agent) => agent.abortRun(),
  });
}
