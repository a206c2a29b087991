// Asks one question over the Responses API. A tool that needs approval ends the response; the answer
// is the input of the next one.

import { createInterface } from "node:readline/promises";
import OpenAI from "openai";

const { PARLOR_URL = "http://127.0.0.1:8787", PARLOR_KEY } = process.env;
const client = new OpenAI({ baseURL: `${PARLOR_URL}/v1`, apiKey: PARLOR_KEY });
const ask = async (question) => {
  const terminal = createInterface(process.stdin, process.stdout);
  const answer = await terminal.question(question);
  terminal.close();
  return answer === "y";
};

let input = process.argv[2] ?? "Delete the tomato soup.";
let previous_response_id;
while (input.length > 0) {
  const response = await client.responses.create({ model: "recipes", previous_response_id, input });
  previous_response_id = response.id;
  console.log(response.output_text);
  input = [];
  for (const { id, type, name, arguments: values } of response.output) {
    if (type !== "mcp_approval_request") continue;
    const approve = await ask(`Allow ${name} ${values}? [y/N] `);
    input.push({ type: "mcp_approval_response", approval_request_id: id, approve });
  }
}
