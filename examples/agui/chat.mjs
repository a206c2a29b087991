// Asks one question over AG-UI. A tool that needs approval is approved or refused on the terminal.

import { createInterface } from "node:readline/promises";
import { HttpAgent } from "@ag-ui/client";

const { PARLOR_URL = "http://127.0.0.1:8787", PARLOR_KEY } = process.env;
const agent = new HttpAgent({
  url: `${PARLOR_URL}/agui/home/agent/recipes/run`,
  headers: { "X-API-Key": PARLOR_KEY },
});
const print = {
  onTextMessageContentEvent: ({ event }) => void process.stdout.write(event.delta),
  onTextMessageEndEvent: () => void process.stdout.write("\n"),
  onRunErrorEvent: ({ event }) => console.error(event.message),
};
const ask = async (question) => {
  const terminal = createInterface(process.stdin, process.stdout);
  const answer = await terminal.question(question);
  terminal.close();
  return answer === "y";
};

agent.addMessage({ id: crypto.randomUUID(), role: "user", content: process.argv[2] ?? "Hello!" });
await agent.runAgent({}, print);
while (agent.pendingInterrupts.length > 0) {
  const resume = [];
  for (const { id, message } of agent.pendingInterrupts) {
    const approved = await ask(`${message} [y/N] `);
    resume.push({ interruptId: id, status: "resolved", payload: { approved } });
  }
  await agent.runAgent({ resume }, print);
}
