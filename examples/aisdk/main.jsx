// A chat with useChat. The conversation's id is kept in the address, so that a reload goes on with it.

import { useChat } from "@ai-sdk/react";
import { DefaultChatTransport, lastAssistantMessageIsCompleteWithApprovalResponses } from "ai";
import { createRoot } from "react-dom/client";

location.hash ||= crypto.randomUUID();
const options = {
  id: location.hash.slice(1),
  resume: true,
  transport: new DefaultChatTransport({ api: "/ai-sdk/home/recipes" }),
  sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
};

function Page() {
  const { messages, status, error, sendMessage, addToolApprovalResponse } = useChat(options);
  const send = (form) => void sendMessage({ text: form.get("text") });
  const answer = ({ approval }, approved) => addToolApprovalResponse({ id: approval.id, approved });
  const part = (part, key) => {
    if (part.type === "text") return <p key={key}>{part.text}</p>;
    if (part.state !== "approval-requested") return null;
    return (
      <p key={key}>
        Allow {part.toolName}? <button type="button" onClick={() => answer(part, true)}>Yes</button>{" "}
        <button type="button" onClick={() => answer(part, false)}>No</button>
      </p>
    );
  };
  return (
    <form action={send}>
      {messages.map((message) => <section key={message.id}>{message.parts.map(part)}</section>)}
      <input name="text" disabled={status !== "ready"} /> {error?.message}
    </form>
  );
}

createRoot(document.querySelector("main")).render(<Page />);
