// Drives the OpenAI library: models, chat completions and responses. Parameters are the library's
// own; `headers` are added to the request, and `helper` reads a stream with the library's helper.

import OpenAI from "openai";

const { plain, serve } = await import(`${process.env.DRIVER_LIB}/lines.mjs`);
const { lose } = await import(`${process.env.DRIVER_LIB}/network.mjs`);

const { PARLOR_URL, PARLOR_KEY, PARLOR_THREAD, PARLOR_MODEL } = process.env;
const client = new OpenAI({
  baseURL: PARLOR_URL,
  apiKey: PARLOR_KEY,
  defaultHeaders: PARLOR_THREAD && { "X-Conversation-Id": PARLOR_THREAD },
});
const { completions } = client.chat;
const { responses } = client;

let last;
let running;

/** A command that is one call of the library. `repeat` makes the last one again, as a retry. */
const calling = (call) => async (args, tell) => {
  const { headers, helper, ...params } = args;
  last = (more, tell) => call(params, { headers: { ...headers, ...more } }, tell, helper);
  return last({}, tell);
};

/** What the library returns, and the headers of the response. */
const whole = async (name, request) => {
  const { data, response } = await request.withResponse();
  const headers = Object.fromEntries(response.headers);
  return { [name]: data, headers };
};

const asked = (params) => ({ model: PARLOR_MODEL, ...params });

/** Reads a stream to its end or to its error, which is told together with what came before it. */
async function read(stream, see) {
  running = stream;
  try {
    for await (const item of stream) see(item);
    return {};
  } catch (error) {
    return { error: plain(error) };
  }
}

async function readChat(stream, tell) {
  const seen = { text: "", finish_reason: null, usage: null };
  const end = await read(stream, (chunk) => {
    const [choice] = chunk.choices ?? [];
    const delta = choice?.delta.content || undefined;
    tell(delta ? "text" : "chunk", { delta, data: chunk });
    seen.text += delta ?? "";
    seen.finish_reason = choice?.finish_reason ?? seen.finish_reason;
    seen.usage = chunk.usage ?? seen.usage;
  });
  return { ...seen, ...end };
}

async function readResponse(stream, tell) {
  const seen = { response: null, sequence: null, text: "" };
  const end = await read(stream, (event) => {
    const delta = event.type === "response.output_text.delta" ? event.delta : undefined;
    tell(delta ? "text" : event.type, { delta, data: event });
    seen.text += delta ?? "";
    seen.response = event.response ?? seen.response;
    seen.sequence = event.sequence_number ?? seen.sequence;
  });
  return { ...seen, ...end };
}

serve({
  models: calling(async (_, options) => ({ models: (await client.models.list(options)).data })),
  chat: calling((params, options) => whole("completion", completions.create(asked(params), options))),
  chat_stream: calling(async (params, options, tell, helper) => {
    if (helper) {
      const stream = completions.stream(asked(params), options);
      const seen = await readChat(stream, tell);
      return seen.error ? seen : { ...seen, completion: await stream.finalChatCompletion() };
    }
    const request = completions.create(asked({ ...params, stream: true }), options);
    const { stream, headers } = await whole("stream", request);
    return { ...(await readChat(stream, tell)), headers };
  }),
  respond: calling((params, options) => whole("response", responses.create(asked(params), options))),
  respond_stream: calling(async (params, options, tell, helper) => {
    if (helper) {
      const stream = responses.stream(asked(params), options);
      const seen = await readResponse(stream, tell);
      return seen.error ? seen : { ...seen, response: await stream.finalResponse() };
    }
    const request = responses.create(asked({ ...params, stream: true }), options);
    const { stream, headers } = await whole("stream", request);
    return { ...(await readResponse(stream, tell)), headers };
  }),
  retrieve: calling(async ({ id, ...params }, options, tell) => {
    if (!params.stream) return whole("response", responses.retrieve(id, params, options));
    return readResponse(await responses.retrieve(id, params, options), tell);
  }),
  cancel: calling(({ id }, options) => whole("response", responses.cancel(id, options))),
  input_items: calling(async ({ id, ...params }, options) => {
    const items = await responses.inputItems.list(id, params, options);
    return { items: items.data, has_more: items.has_more };
  }),
  delete: calling(({ id }, options) => whole("deleted", responses.delete(id, options))),
  repeat: (_, tell) => last({ "X-Stainless-Retry-Count": "1" }, tell),
  stop: () => running.controller.abort(),
  abort: lose,
});
