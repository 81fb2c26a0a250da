import { describe, expect, it } from "vitest";
import { builtInModel, sharedApp, testKey } from "../../harness.js";

const shared = sharedApp();

const unkept = "9007199254740993";
/** Objects whose number has exactly these digits. */
const schema = `{"type":"object","properties":{"id":{"const":${unkept}}},"required":["id"],"additionalProperties":false}`;
const answer = new RegExp(`^\\{\\s*"id":\\s*${unkept}\\s*\\}$`);

/** Sends the JSON text of a request. @returns the text of the answer. */
async function send(path: string, body: string): Promise<string> {
  const response = await fetch(`${shared().url}/v1/${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${testKey}`, "content-type": "application/json" },
    body,
  });
  const text = await response.text();
  expect(response.status, text).toBe(200);
  return text;
}

const model = `"model":"${builtInModel}","temperature":0`;
const chat = `${model},"messages":[{"role":"user","content":"Hello!"}],"max_tokens":100,"reasoning_effort":"none"`;
const responses = `${model},"input":"Hello!","max_output_tokens":100,"reasoning":{"effort":"none"},"store":false`;
const messages = `${model},"messages":[{"role":"user","content":"Hello!"}],"max_tokens":100`;

describe("a number that no double keeps, on the built-in model", () => {
  it("is in the answer with exactly the digits of the schema, in every dialect", async () => {
    const format = `"response_format":{"type":"json_schema","json_schema":{"name":"it","schema":${schema}}}`;
    const completion = JSON.parse(await send("chat/completions", `{${chat},${format}}`)) as {
      choices: { message: { content: string } }[];
    };
    expect(completion.choices[0]?.message.content).toMatch(answer);
    const text = `"text":{"format":{"type":"json_schema","name":"it","schema":${schema}}}`;
    const response = JSON.parse(await send("responses", `{${responses},${text}}`)) as {
      output: { content: { text: string }[] }[];
    };
    expect(response.output.at(-1)?.content[0]?.text).toMatch(answer);
    const output = `"output_config":{"format":{"type":"json_schema","schema":${schema}}}`;
    const message = JSON.parse(await send("messages", `{${messages},${output}}`)) as {
      content: { text: string }[];
    };
    expect(message.content.at(-1)?.text).toMatch(answer);
  });

  it("is in the arguments of a tool call with exactly the digits of the schema, in every dialect", async () => {
    const tool = `{"type":"function","function":{"name":"find","parameters":${schema}}}`;
    const completion = JSON.parse(
      await send("chat/completions", `{${chat},"tools":[${tool}],"tool_choice":"required"}`),
    ) as { choices: { message: { tool_calls: { function: { arguments: string } }[] } }[] };
    expect(completion.choices[0]?.message.tool_calls[0]?.function.arguments).toMatch(answer);
    const flat = `{"type":"function","name":"find","parameters":${schema}}`;
    const response = JSON.parse(
      await send("responses", `{${responses},"tools":[${flat}],"tool_choice":"required"}`),
    ) as { output: { arguments: string }[] };
    expect(response.output.at(-1)?.arguments).toMatch(answer);
    const custom = `"tools":[{"name":"find","input_schema":${schema}}],"tool_choice":{"type":"any"}`;
    expect(await send("messages", `{${messages},${custom}}`)).toMatch(
      new RegExp(`"input":\\{\\s*"id":\\s*${unkept}\\s*\\}`),
    );
    expect(await send("messages", `{${messages},${custom},"stream":true}`)).toContain("input_json_delta");
  });
});
