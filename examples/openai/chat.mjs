// Asks one question with OpenAI's library. The model is the project.

import OpenAI from "openai";

const { PARLOR_URL = "http://127.0.0.1:8787", PARLOR_KEY } = process.env;
const client = new OpenAI({ baseURL: `${PARLOR_URL}/v1`, apiKey: PARLOR_KEY });
const stream = await client.chat.completions.create({
  model: "recipes",
  messages: [{ role: "user", content: process.argv[2] ?? "Hello!" }],
  stream: true,
});
for await (const chunk of stream) process.stdout.write(chunk.choices[0]?.delta.content ?? "");
console.log();
