import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { fileServer } from "../../kit/server.js";
import { builtInModel, testKey } from "../../kit/server/settings.js";
import { firstChoice, requestStream, requestJson } from "../../kit/clients/chat-answers.js";

const shared = fileServer();

const rows = {
  type: "object",
  properties: {
    rows: {
      type: "array",
      minItems: 1,
      maxItems: 3,
      items: {
        type: "object",
        properties: { id: { type: "integer", minimum: 0, maximum: 9 }, mood: { enum: ["glad", "sad"] } },
        required: ["id", "mood"],
      },
    },
  },
  required: ["rows"],
};

describe("response_format on the built-in model", () => {
  it("json_schema returns a value that validates, the same streamed and as JSON", async () => {
    const body = {
      temperature: 1.5,
      seed: 2,
      max_tokens: 600,
      deterministic: true,
      reasoning_effort: "none",
      response_format: { type: "json_schema", json_schema: { name: "it", schema: rows } },
    };
    const json = firstChoice(await requestJson(shared(), body));
    expect(firstChoice(await requestStream(shared(), body))).toEqual(json);
    expect(json.finish).toBe("stop");
    const validate = new Ajv2020().compile(rows);
    expect(validate(JSON.parse(json.content)) ? null : validate.errors).toBe(null);
  });
});

const unkept = "9007199254740993";
/** Objects whose number has exactly these digits. */
const unkeptSchema = `{"type":"object","properties":{"id":{"const":${unkept}}},"required":["id"],"additionalProperties":false}`;
const unkeptAnswer = new RegExp(`^\\{\\s*"id":\\s*${unkept}\\s*\\}$`);

/** Sends the JSON text of a request. @returns the text of the answer. */
async function sendText(path: string, body: string): Promise<string> {
  const response = await fetch(`${shared().url}/v1/${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${testKey}`, "content-type": "application/json" },
    body,
  });
  const text = await response.text();
  expect(response.status, text).toBe(200);
  return text;
}

const modelFields = `"model":"${builtInModel}","temperature":0`;
const chatFields = `${modelFields},"messages":[{"role":"user","content":"Hello!"}],"max_tokens":100,"reasoning_effort":"none"`;
const responsesFields = `${modelFields},"input":"Hello!","max_output_tokens":100,"reasoning":{"effort":"none"},"store":false`;
const messagesFields = `${modelFields},"messages":[{"role":"user","content":"Hello!"}],"max_tokens":100`;

describe("a number that no double keeps, on the built-in model", () => {
  it("is in the answer with exactly the digits of the schema, in every dialect", async () => {
    const format = `"response_format":{"type":"json_schema","json_schema":{"name":"it","schema":${unkeptSchema}}}`;
    const completion = JSON.parse(await sendText("chat/completions", `{${chatFields},${format}}`)) as {
      choices: { message: { content: string } }[];
    };
    expect(completion.choices[0]?.message.content).toMatch(unkeptAnswer);
    const text = `"text":{"format":{"type":"json_schema","name":"it","schema":${unkeptSchema}}}`;
    const response = JSON.parse(await sendText("responses", `{${responsesFields},${text}}`)) as {
      output: { content: { text: string }[] }[];
    };
    expect(response.output.at(-1)?.content[0]?.text).toMatch(unkeptAnswer);
    const output = `"output_config":{"format":{"type":"json_schema","schema":${unkeptSchema}}}`;
    const message = JSON.parse(await sendText("messages", `{${messagesFields},${output}}`)) as {
      content: { text: string }[];
    };
    expect(message.content.at(-1)?.text).toMatch(unkeptAnswer);
  });

  it("is in the arguments of a tool call with exactly the digits of the schema, in every dialect", async () => {
    const tool = `{"type":"function","function":{"name":"find","parameters":${unkeptSchema}}}`;
    const completion = JSON.parse(
      await sendText("chat/completions", `{${chatFields},"tools":[${tool}],"tool_choice":"required"}`),
    ) as { choices: { message: { tool_calls: { function: { arguments: string } }[] } }[] };
    expect(completion.choices[0]?.message.tool_calls[0]?.function.arguments).toMatch(unkeptAnswer);
    const flat = `{"type":"function","name":"find","parameters":${unkeptSchema}}`;
    const response = JSON.parse(
      await sendText("responses", `{${responsesFields},"tools":[${flat}],"tool_choice":"required"}`),
    ) as { output: { arguments: string }[] };
    expect(response.output.at(-1)?.arguments).toMatch(unkeptAnswer);
    const custom = `"tools":[{"name":"find","input_schema":${unkeptSchema}}],"tool_choice":{"type":"any"}`;
    expect(await sendText("messages", `{${messagesFields},${custom}}`)).toMatch(
      new RegExp(`"input":\\{\\s*"id":\\s*${unkept}\\s*\\}`),
    );
    expect(await sendText("messages", `{${messagesFields},${custom},"stream":true}`)).toContain(
      "input_json_delta",
    );
  });
});
