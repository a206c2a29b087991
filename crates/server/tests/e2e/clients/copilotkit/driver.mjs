// Drives the browser core of CopilotKit, which needs a window.

globalThis.window = {
  location: { origin: "http://localhost" },
  addEventListener() {},
  removeEventListener() {},
};
const { CopilotKitCore } = await import("@copilotkit/core");
const { serveAgent } = await import(`${process.env.DRIVER_LIB}/agent.mjs`);

const { PARLOR_URL, PARLOR_KEY, PARLOR_PROJECT = "recipes" } = process.env;
let core;
let failure;

/** The core reports errors to its subscribers, and does not throw them. */
const reported = async (action) => {
  failure = undefined;
  const result = await action();
  if (failure) throw failure;
  return result;
};

serveAgent({
  async open(thread) {
    core = new CopilotKitCore({
      runtimeUrl: PARLOR_URL,
      runtimeTransport: "rest",
      headers: { "X-API-Key": PARLOR_KEY },
    });
    await new Promise((resolve) =>
      core.subscribe({
        onRuntimeConnectionStatusChanged: ({ status }) => status === "connected" && resolve(),
        onError({ error }) {
          failure = error;
          resolve();
        },
      }),
    );
    const agent = core.getAgent(PARLOR_PROJECT);
    if (!agent) throw failure ?? new Error(`the server offers no '${PARLOR_PROJECT}'`);
    if (thread) agent.threadId = thread;
    return agent;
  },
  run: (agent, { runId, resume }) => reported(() => core.runAgent({ agent, runId, resume })),
  reload: (agent) => reported(() => core.connectAgent({ agent })),
  stop: (agent) => core.stopAgent({ agent }),
});
