// Drives the AI SDK, of any version: `Chat` headless, or with DRIVER_MODE=react the hook `useChat`
// on a page of jsdom, which resumes when it is mounted.

import { plain, serve } from "./lines.mjs";
import { isWaiting, lastBody, lose, repeatNext } from "./network.mjs";

const { PARLOR_URL, PARLOR_KEY, PARLOR_THREAD, DRIVER_MODE } = process.env;
const BUSY = ["submitted", "streaming"];

export async function drive(load) {
  const ai = await load("ai");
  const create = DRIVER_MODE === "react" ? await pages(load) : await headless(load);
  const id = PARLOR_THREAD ?? ai.generateId();

  // Progress belongs to the command that asked last.
  let tell = () => {};
  let client;
  const start = async (messages) => {
    const mine = {};
    const say = (event, more) => client === mine && tell(event, more);
    client = mine;
    const options = {
      id,
      messages,
      transport: new ai.DefaultChatTransport({
        api: PARLOR_URL,
        headers: { "X-API-Key": PARLOR_KEY },
      }),
      sendAutomaticallyWhen: (last) =>
        ai.lastAssistantMessageIsCompleteWithApprovalResponses?.(last) ||
        ai.lastAssistantMessageIsCompleteWithToolCalls(last),
      onData: (data) => say("data", { data }),
      onToolCall: ({ toolCall }) => say("tool_call", { data: toolCall }),
      onError: (error) => say("error", { error: plain(error) }),
      onFinish: ({ isAbort, isDisconnect, isError, finishReason }) =>
        say("finish", { data: { isAbort, isDisconnect, isError, finishReason } }),
    };
    Object.assign(mine, await create(options, changeReader(say)));
  };

  const view = ({ chat }) => {
    const { status, messages, error } = chat();
    const parts = messages.flatMap((message) => message.parts);
    const isQuestion = (part) => part.state === "input-available" && !part.providerExecuted;
    return {
      thread: id,
      status,
      text: textOf(messages.at(-1)),
      messages,
      approvals: parts.filter(({ state }) => state === "approval-requested"),
      questions: parts.filter(isQuestion),
      error: status === "error" ? plain(error) : undefined,
    };
  };

  // After an answer the client sends by itself, so a command ends when nothing runs twice in a row,
  // or when the page is gone.
  const settled = async (mine) => {
    for (let quiet = 0; quiet < 2 && mine === client; quiet += 1) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      if (isWaiting() || BUSY.includes(mine.chat().status)) quiet = -1;
    }
    return view(mine);
  };
  let starting;
  const ready = () => (starting ??= start().then(() => settled(client)));
  const asking = (ask) => async (args, teller) => {
    const mine = client;
    tell = teller;
    await ask(args, mine.chat());
    return settled(mine);
  };

  const commands = {
    send: asking(({ text, id, image }, chat) => {
      const url = image && `data:${image.mimeType};base64,${image.data}`;
      const picture = { type: "file", mediaType: image?.mimeType, url };
      return chat.sendMessage({ id, parts: [...(image ? [picture] : []), { type: "text", text }] });
    }),
    answer: asking(async ({ approve, reason }, chat) => {
      for (const { approval } of view(client).approvals)
        await chat.addToolApprovalResponse({ id: approval.id, approved: approve, reason });
    }),
    answer_question: asking(async ({ value }, chat) => {
      for (const part of view(client).questions) await chat.addToolOutput(output(part, value));
    }),
    tool_output: asking(({ id, output: value }, chat) => {
      const part = view(client).questions.find(({ toolCallId }) => toolCallId === id);
      return chat.addToolOutput(output(part, value));
    }),
    state: () => view(client),
    async reload({ messages }, teller) {
      tell = teller;
      client.close();
      await start(messages);
      return settled(client);
    },
    resume: asking((_, chat) => chat.resumeStream()),
    regenerate: asking((_, chat) => chat.regenerate()),
    stop: () => client.chat().stop(),
    repeat: asking((_, chat) => {
      const body = lastBody();
      repeatNext();
      if (!body) return chat.resumeStream();
      client.setMessages(body.messages);
      return chat.sendMessage();
    }),
    abort: lose,
  };
  serve(commands, ready);
}

const textOf = (message) =>
  message?.role === "assistant"
    ? message.parts.map(({ type, text }) => (type === "text" ? text : "")).join("")
    : "";

const output = ({ toolName, type, toolCallId }, value) => ({
  tool: toolName ?? type.slice("tool-".length),
  toolCallId,
  output: value,
});

/** Turns a message that changes into the text that was added and the tools whose state changed. */
function changeReader(say) {
  let [id, text, states] = ["", "", {}];
  return (message) => {
    if (message?.role !== "assistant") return;
    const now = textOf(message);
    if (message.id !== id || !now.startsWith(text)) {
      [id, text, states] = [message.id, "", {}];
      say("message", { data: { id } });
    }
    if (now !== text) say("text", { delta: now.slice(text.length) });
    text = now;
    for (const part of message.parts.filter(({ toolCallId }) => toolCallId)) {
      if (states[part.toolCallId] !== part.state) say("tool", { data: part });
      states[part.toolCallId] = part.state;
    }
  };
}

async function headless(load) {
  const { Chat } = await load("@ai-sdk/react");
  let mounts = 0;
  return async (options, onChange) => {
    const chat = new Chat(options);
    chat["~registerMessagesCallback"](() => onChange(chat.messages.at(-1)));
    mounts += 1;
    if (mounts > 1) void chat.resumeStream();
    return {
      chat: () => chat,
      setMessages: (messages) => (chat.messages = messages),
      close: lose,
    };
  };
}

/** A page with the hook. `chat` is what the hook returned when the page was last drawn. */
async function pages(load) {
  const { JSDOM } = await load("jsdom");
  const { window } = new JSDOM("<!doctype html><main></main>", { url: "http://localhost/" });
  Object.assign(globalThis, { window, document: window.document });
  Object.defineProperty(globalThis, "navigator", { value: window.navigator, configurable: true });
  // They look for a page when they are loaded.
  const { createElement, useEffect } = await load("react");
  const { createRoot } = await load("react-dom/client");
  const { useChat } = await load("@ai-sdk/react");
  return (options, onChange) => {
    const root = createRoot(window.document.querySelector("main"));
    const close = () => {
      root.unmount();
      lose();
    };
    return new Promise((mounted) => {
      let chat;
      const Page = () => {
        chat = useChat({ ...options, resume: true });
        useEffect(() => {
          onChange(chat.messages.at(-1));
          const setMessages = (messages) => chat.setMessages(messages);
          mounted({ chat: () => chat, setMessages, close });
        });
      };
      root.render(createElement(Page));
    });
  };
}
