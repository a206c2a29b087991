// The commands of a client that holds an AG-UI agent: HttpAgent alone, or CopilotKit around it.

import { randomUUID } from "node:crypto";
import { plain, serve } from "./lines.mjs";
import { lose, repeatNext } from "./network.mjs";

/**
 * `open(thread)` makes an agent, `run(agent, parameters)` runs it, `reload(agent, args)` does what the
 * client does when its page is loaded again, `stop(agent)` is the client's own stop.
 */
export function serveAgent({ open, run, reload, stop }) {
  let agent;
  let watcher;
  let opening;
  let before;
  const start = async (thread) => {
    agent = await open(thread);
  };

  /** Runs an action of this agent, tells its events, and returns what the agent holds afterwards. */
  const watched = async (mine, tell, action) => {
    const seen = {};
    const onEvent = ({ event }) => {
      const { type, delta } = event;
      if (type === "TEXT_MESSAGE_CONTENT") tell("text", { delta, data: event });
      else tell(type, { data: event });
      if (type === "RUN_FINISHED") seen.outcome = event.outcome;
      if (type === "RUN_ERROR") seen.error = plain({ ...event, name: type });
    };
    watcher = mine.subscribe({ onEvent });
    try {
      seen.result = (await action(mine))?.result;
    } catch (error) {
      seen.error ??= plain(error);
    }
    watcher.unsubscribe();
    return { ...view(mine), ...seen };
  };
  const begin = (parameters, tell) => {
    before = { parameters, messages: agent.messages, pending: agent.pendingInterrupts };
    return watched(agent, tell, (mine) => run(mine, parameters));
  };
  const resume = (entry, tell) => {
    const entries = agent.pendingInterrupts.map(({ id }) => ({ interruptId: id, ...entry }));
    return begin({ runId: randomUUID(), resume: entries }, tell);
  };

  const commands = {
    send({ text, id = randomUUID(), image, tools }, tell) {
      const source = image && { type: "data", value: image.data, mimeType: image.mimeType };
      const content = image ? [{ type: "text", text }, { type: "image", source }] : text;
      agent.addMessage({ id, role: "user", content });
      return begin({ runId: randomUUID(), tools }, tell);
    },
    answer({ approve, cancel, reason, payload }, tell) {
      if (cancel) return resume({ status: "cancelled" }, tell);
      return resume({ status: "resolved", payload: payload ?? { approved: approve, reason } }, tell);
    },
    answer_question: ({ value }, tell) => resume({ status: "resolved", payload: value }, tell),
    tool_output({ id, output }, tell) {
      agent.addMessage({ id: randomUUID(), role: "tool", toolCallId: id, content: output });
      return begin({ runId: randomUUID() }, tell);
    },
    state: () => view(agent),
    async reload(args, tell) {
      watcher?.unsubscribe();
      lose();
      await start(agent.threadId);
      return watched(agent, tell, (mine) => reload(mine, args));
    },
    stop: async () => void (await stop(agent)),
    repeat(_, tell) {
      agent.setMessages(before.messages);
      agent.pendingInterrupts = before.pending;
      repeatNext("/run");
      return begin(before.parameters, tell);
    },
    abort: lose,
  };
  serve(commands, () => (opening ??= start(process.env.PARLOR_THREAD)));
}

function view(agent) {
  const asked = agent.messages.findLastIndex(({ role }) => role === "user");
  const answers = agent.messages.slice(asked + 1).filter(({ role }) => role === "assistant");
  return {
    thread: agent.threadId,
    running: agent.isRunning,
    text: answers.map(({ content }) => content ?? "").join(""),
    messages: agent.messages,
    state: agent.state,
    pending: agent.pendingInterrupts,
  };
}
