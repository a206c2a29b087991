// A chat with CopilotKit's core, straight to Parlor: no Node runtime in between. CopilotKit's React
// components take the same address as their `runtimeUrl`.

import { CopilotKitCore } from "@copilotkit/core";
import { useEffect, useReducer } from "react";
import { createRoot } from "react-dom/client";

location.hash ||= crypto.randomUUID();
const core = new CopilotKitCore({ runtimeUrl: "/agui/home", runtimeTransport: "rest" });
await new Promise((resolve) => core.subscribe({ onAgentsChanged: resolve }));
const agent = core.getAgent("recipes");
agent.threadId = location.hash.slice(1);

function Page() {
  const [, draw] = useReducer((count) => count + 1, 0);
  useEffect(() => {
    agent.subscribe({ onMessagesChanged: () => draw(), onRunFinalized: () => draw() });
    void core.connectAgent({ agent });
  }, []);
  const send = (form) => {
    agent.addMessage({ id: crypto.randomUUID(), role: "user", content: form.get("text") });
    void core.runAgent({ agent });
  };
  const { messages, pendingInterrupts } = agent;
  // All that is asked is answered together.
  const answer = (approved) => {
    const entry = { status: "resolved", payload: { approved } };
    const resume = pendingInterrupts.map(({ id }) => ({ interruptId: id, ...entry }));
    void core.runAgent({ agent, resume });
  };
  return (
    <form action={send}>
      {messages.map(({ id, content }) => <p key={id}>{content}</p>)}
      {pendingInterrupts.map(({ id, message }) => <p key={id}>{message}</p>)}
      <button type="button" onClick={() => answer(true)}>Allow</button>
      <button type="button" onClick={() => answer(false)}>Refuse</button>
      <input name="text" />
    </form>
  );
}

createRoot(document.querySelector("main")).render(<Page />);
