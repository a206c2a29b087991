// Drives OpenAI's agent library over the responses route. It turns our approval requests into its
// interruptions if the agent has a hosted MCP tool with the label of the server that asks.
//
// A next message carries the whole history. With DRIVER_MODE=previous it names the last response
// instead, and with PARLOR_THREAD the conversation.

import {
  Agent,
  OpenAIResponsesModel,
  RunState,
  hostedMcpTool,
  run,
  setTracingDisabled,
  user,
} from "@openai/agents";
import OpenAI from "openai";

const { plain, serve } = await import(`${process.env.DRIVER_LIB}/lines.mjs`);
const { lose, repeatNext } = await import(`${process.env.DRIVER_LIB}/network.mjs`);

const { PARLOR_URL, PARLOR_KEY, PARLOR_MODEL, PARLOR_THREAD, DRIVER_MODE } = process.env;
const { PARLOR_PROJECT = "recipes" } = process.env;

setTracingDisabled(true);
const create = () =>
  new Agent({
    name: "parlor",
    model: new OpenAIResponsesModel(
      new OpenAI({ baseURL: PARLOR_URL, apiKey: PARLOR_KEY }),
      PARLOR_MODEL,
    ),
    tools: [
      hostedMcpTool({
        serverLabel: PARLOR_PROJECT,
        serverUrl: "https://mcp.example.org",
        requireApproval: "always",
      }),
    ],
  });

let agent = create();
let result;
let before;
let stopper;

const view = () => ({
  text: result?.finalOutput ?? "",
  history: result?.history ?? [],
  pending: (result?.interruptions ?? []).map(({ rawItem }) => rawItem),
  response_id: result?.lastResponseId,
});

async function begin(input, tell) {
  // A run uses its state up, so that what is repeated is a copy.
  const stored = input instanceof RunState && input.toString();
  before = async () => (stored ? RunState.fromString(agent, stored) : input);
  stopper = new AbortController();
  const byName = DRIVER_MODE === "previous" && result?.lastResponseId;
  const options = {
    stream: true,
    signal: stopper.signal,
    conversationId: PARLOR_THREAD,
    previousResponseId: byName || undefined,
  };
  try {
    const running = await run(agent, input, options);
    for await (const event of running) {
      const { data, name, item } = event;
      if (data?.type === "output_text_delta") tell("text", { delta: data.delta });
      else if (data?.type === "model") tell(data.event.type, { data: data.event });
      else if (item) tell(name, { data: item });
    }
    await running.completed;
    result = running;
    return view();
  } catch (error) {
    return { ...view(), error: plain(error) };
  }
}

serve({
  send({ text }, tell) {
    const isNamed = DRIVER_MODE === "previous" || PARLOR_THREAD;
    return begin([...(isNamed ? [] : view().history), user(text)], tell);
  },
  answer({ approve, reason }, tell) {
    const { state } = result;
    for (const item of result.interruptions) {
      if (approve) state.approve(item);
      else state.reject(item, { message: reason });
    }
    return begin(state, tell);
  },
  state: view,
  // What survives a restart of such an app is the serialized state.
  async reload() {
    agent = create();
    const state = await RunState.fromString(agent, result.state.toString());
    const { history } = state;
    const { finalOutput, lastResponseId } = result;
    result = { state, history, finalOutput, lastResponseId, interruptions: state.getInterruptions() };
    return view();
  },
  stop: () => stopper.abort(),
  async repeat(_, tell) {
    const input = await before();
    repeatNext("/responses");
    return begin(input, tell);
  },
  abort: lose,
});
