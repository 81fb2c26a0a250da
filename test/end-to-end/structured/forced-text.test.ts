import { describe, expect, it } from "vitest";
import { type TestServer, fileServer } from "../../kit/server.js";
import { builtInModel, testKey } from "../../kit/server/settings.js";
import { firstChoice, requestJson, requestStream } from "../../kit/clients/chat-answers.js";

const shared = fileServer();

const text = "The quick brown fox jumps over the lazy dog, and then it rests in the shade.";
const json = JSON.stringify(text);
const ask = [{ role: "user" as const, content: "Hello!" }];
const format = { type: "json_schema", json_schema: { name: "it", schema: { const: text } } };
const chat = { reasoning_effort: "none", response_format: format };

/** A tool whose argument can only be the text. */
const parameters = {
  type: "object",
  properties: { note: { const: text } },
  required: ["note"],
  additionalProperties: false,
};

async function post(app: TestServer, path: string, body: object): Promise<unknown> {
  const response = await fetch(`${app.url}/v1/${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${testKey}`, "content-type": "application/json" },
    body: JSON.stringify({ model: builtInModel, temperature: 0, ...body }),
  });
  expect(response.status).toBe(200);
  return response.json();
}

describe("text that a schema forces", () => {
  it("is the whole answer, streamed or not, greedy or sampled, with its tokens counted", async () => {
    const app = shared();
    for (const temperature of [0, 1]) {
      const body = { ...chat, temperature, seed: 3 };
      const [whole, frames] = [await requestJson(app, body), await requestStream(app, body)];
      for (const answer of [whole, frames]) {
        expect(firstChoice(answer)).toMatchObject({ content: json, finish: "stop" });
        expect(answer.usage?.completion_tokens).toBeGreaterThan(10);
        expect(answer.usage?.completion_tokens).toBeLessThanOrEqual(json.length);
      }
    }
  });

  it("has a log probability for each token, which together are the text", async () => {
    const { content, logprobs } = firstChoice(
      await requestJson(shared(), { ...chat, logprobs: true, top_logprobs: 2 }),
    );
    expect(content).toBe(json);
    expect(logprobs?.map(({ token }) => token).join("")).toBe(json);
  });

  it("ends at max_tokens, wherever that is", async () => {
    const app = shared();
    for (const most of [1, 2, 3, 5, 8, 13]) {
      const body = { ...chat, max_tokens: most };
      for (const answer of [await requestJson(app, body), await requestStream(app, body)]) {
        const { content, finish } = firstChoice(answer);
        expect([finish, answer.usage?.completion_tokens]).toEqual(["length", most]);
        expect(json.startsWith(content)).toBe(true);
        expect(content.length).toBeLessThan(json.length);
      }
    }
  });

  it("ends at a stop text, wherever that is", async () => {
    const app = shared();
    for (const stop of ["quick", "x jumps o", "then"]) {
      const body = { ...chat, stop: [stop] };
      const expected = { content: json.slice(0, json.indexOf(stop)) };
      expect(firstChoice(await requestJson(app, body))).toMatchObject(expected);
      expect(firstChoice(await requestStream(app, body))).toMatchObject(expected);
    }
  });

  it("is the arguments of a call of the one tool that may be called", async () => {
    const app = shared();
    const tool = { type: "function", function: { name: "save_note", parameters } };
    const body = {
      tools: [tool],
      tool_choice: { type: "function", function: { name: "save_note" } },
      reasoning_effort: "none",
    };
    for (const answer of [await requestJson(app, body), await requestStream(app, body)]) {
      const [call] = firstChoice(answer).calls;
      expect(call?.name).toBe("save_note");
      expect(JSON.parse(call?.arguments ?? "")).toEqual({ note: text });
    }
  });

  it("is the same in the other dialects", async () => {
    const app = shared();
    const response = await post(app, "responses", {
      input: "Hello!",
      reasoning: { effort: "none" },
      text: { format: { type: "json_schema", name: "it", schema: { const: text } } },
    });
    expect(JSON.stringify(response)).toContain(JSON.stringify(json));
    const message = await post(app, "messages", {
      messages: ask,
      max_tokens: 200,
      tools: [{ name: "save_note", input_schema: parameters }],
      tool_choice: { type: "tool", name: "save_note" },
    });
    expect(message).toMatchObject({
      stop_reason: "tool_use",
      content: [{ type: "tool_use", name: "save_note", input: { note: text } }],
    });
    const cut = await post(app, "messages", {
      messages: ask,
      max_tokens: 4,
      output_config: { format: { type: "json_schema", schema: { const: text } } },
    });
    expect(cut).toMatchObject({ stop_reason: "max_tokens", usage: { output_tokens: 4 } });
  });
});
