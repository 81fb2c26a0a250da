import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { fileServer } from "../../kit/server.js";
import {
  firstChoice,
  requestStream,
  requestJson,
  type FoldedAnswer,
} from "../../kit/clients/chat-answers.js";
import { someOf } from "../../kit/setup/random-cases.js";

const shared = fileServer();

const person = {
  type: "object",
  properties: {
    name: { type: "string", maxLength: 8 },
    mood: { enum: ["glad", "sad"] },
    age: { type: "integer", minimum: 0, maximum: 99 },
  },
  required: ["name", "mood", "age"],
  additionalProperties: false,
};
const place = {
  type: "object",
  properties: { city: { type: "string", minLength: 1, maxLength: 20 } },
  required: ["city"],
  additionalProperties: false,
};
const weather = {
  type: "function",
  function: { name: "get_weather", description: "Get the weather in a city", parameters: place },
};
const formatOf = (schema: object) => ({ type: "json_schema", json_schema: { name: "answer", schema } });
const question = [{ role: "user" as const, content: "What is the weather in Paris?" }];

const ajv = new Ajv2020({ strict: false });
const isPerson = ajv.compile(person);
const isPlace = ajv.compile(place);

/** Returns the content of an answer without values that differ every time: ids and cached tokens. */
function contentOf({ choices, usage }: FoldedAnswer) {
  return {
    choices: choices.map((choice) => ({
      ...choice,
      calls: choice.calls.map(({ name, arguments: given }) => ({ name, arguments: given })),
    })),
    completion: usage?.completion_tokens,
    reasoning: usage?.completion_tokens_details?.reasoning_tokens,
  };
}

interface Row {
  readonly schema: boolean;
  readonly tools: boolean;
  readonly thinking: boolean;
  readonly streaming: boolean;
}

const both = [false, true];
const rows: readonly (readonly [string, Row])[] = both.flatMap((schema) =>
  both.flatMap((tools) =>
    both.flatMap((thinking) =>
      both.map((streaming) => {
        const row = { schema, tools, thinking, streaming };
        const named = Object.entries(row).map(([name, on]) => (on ? name : `no ${name}`));
        return [named.join(", "), row] as const;
      }),
    ),
  ),
);

function bodyOf({ schema, tools, thinking }: Row): object {
  return {
    messages: question,
    seed: 7,
    max_tokens: 200,
    deterministic: true,
    reasoning_effort: thinking ? "low" : "none",
    ...(schema ? { response_format: formatOf(person) } : {}),
    ...(tools ? { tools: [weather] } : {}),
  };
}

/** Ways in which an answer can end early. */
const endings: readonly object[] = [
  ...['"', "a", ":", "}", "Par", "</tool_call>"].map((stop) => ({ stop })),
  ...[1, 2, 3, 5, 8, 12, 17, 23].map((tokens) => ({ max_tokens: tokens })),
  { max_completion_tokens: 10, stop: ["i", "zzz"] },
];

/** Checks that an answer is valid or reports that it was truncated. */
function check(answer: FoldedAnswer, { schema, tools, thinking }: Row): void {
  const { content, reasoning, calls, finish } = firstChoice(answer);
  expect(["stop", "length", "tool_calls"]).toContain(finish);
  expect(content + reasoning).not.toMatch(/\uFFFD|<\/?think|<\/tool_call/);
  if (!thinking) expect(reasoning).toBe("");
  if (!tools) expect(calls).toEqual([]);
  if (finish === "length") return;
  expect(calls.length > 0).toBe(finish === "tool_calls");
  for (const call of calls) {
    expect(call.name).toBe("get_weather");
    expect(isPlace(JSON.parse(call.arguments))).toBe(true);
  }
  if (schema && calls.length === 0) expect(isPerson(JSON.parse(content))).toBe(true);
}

describe("D7: the built-in model with", () => {
  it.each(rows)("%s: returns a valid answer or reports why not, streamed and not", async (name, row) => {
    const app = shared();
    const fields = bodyOf(row);
    const plain = await requestJson(app, fields);
    check(plain, row);
    if (row.schema || row.tools) expect(firstChoice(plain).finish).not.toBe("length");
    if (row.thinking) expect(firstChoice(plain).reasoning).not.toBe("");
    const offset = rows.findIndex(([each]) => each === name);
    for (const ending of [{}, ...someOf(endings, offset)]) {
      const body = { ...fields, ...ending };
      const answer = await (row.streaming ? requestStream : requestJson)(app, body);
      check(answer, row);
      if (row.streaming) expect(contentOf(answer)).toEqual(contentOf(await requestJson(app, body)));
    }
  });
});

/** Text with escapes and with characters of two, three and four bytes. */
const hard = 'a"b\\c\nd\u0001é東🎉e';

describe("D7: an answer truncated by max_tokens", () => {
  const constant = { type: "object", properties: { text: { const: hard } }, required: ["text"] };

  it("inside a string, an escape or a character ends with `length` and contains only complete characters of the full answer", async () => {
    const app = shared();
    const body = { response_format: formatOf(constant), reasoning_effort: "none", deterministic: true };
    const complete = firstChoice(await requestJson(app, body));
    expect(complete.finish).toBe("stop");
    expect(JSON.parse(complete.content)).toEqual({ text: hard });
    const cuts: string[] = [];
    for (let tokens = 1; ; tokens += 1) {
      const answers = await Promise.all(
        [requestJson, requestStream].map((ask) => ask(app, { ...body, max_tokens: tokens })),
      );
      const [json, frames] = answers.map(firstChoice);
      expect(frames).toEqual(json);
      expect(complete.content.startsWith(json?.content ?? "-")).toBe(true);
      if (json?.finish === "stop") break;
      expect(json?.finish).toBe("length");
      cuts.push(json?.content ?? "");
    }
    const inside = (place: RegExp): boolean => cuts.some((text) => place.test(text));
    expect([/"a$/, /\\$/, /\\u00$/, /"\s*\}$/].map(inside)).toEqual([true, true, true, true]);
    // A token that completes no character adds nothing: the limit was inside the character.
    expect(cuts.filter((text) => text.endsWith("é")).length).toBeGreaterThan(1);
  });

  it("inside the arguments of a tool call ends with `length` and the beginning of the arguments", async () => {
    const app = shared();
    const tool = { type: "function", function: { name: "note", parameters: constant } };
    const body = {
      tools: [tool],
      tool_choice: "required",
      reasoning_effort: "none",
      parallel_tool_calls: false,
      deterministic: true,
    };
    const complete = firstChoice(await requestJson(app, body));
    expect(complete).toMatchObject({ finish: "tool_calls", content: "", calls: [{ name: "note" }] });
    const given = complete.calls[0]?.arguments ?? "";
    expect(JSON.parse(given)).toEqual({ text: hard });
    let partial = 0;
    for (let tokens = 1; ; tokens += 1) {
      const cut = { ...body, max_tokens: tokens };
      const frames = await requestStream(app, cut);
      // One answer in eight also as JSON: each takes a tenth of a second.
      if (tokens % 8 === 0) expect(contentOf(await requestJson(app, cut))).toEqual(contentOf(frames));
      const { finish, calls, content } = firstChoice(frames);
      expect(content === "" || '<tool_call>\n{"name": "note", "arguments": '.startsWith(content)).toBe(true);
      for (const call of calls) expect(given.startsWith(call.arguments)).toBe(true);
      if (finish === "tool_calls") break;
      expect(finish).toBe("length");
      if (calls.some((call) => call.arguments !== "" && call.arguments !== given)) partial += 1;
    }
    expect(partial).toBeGreaterThan(5);
  });
});

describe("D7: an object with keys of the model's choice", () => {
  it("never has one twice, whatever is sampled, also in arguments and with log probabilities", async () => {
    const app = shared();
    const open = {
      type: "object",
      propertyNames: { pattern: "^[ab]+$" },
      additionalProperties: { type: "boolean" },
      minProperties: 4,
      maxProperties: 6,
    };
    const tool = { type: "function", function: { name: "mark", parameters: open } };
    const forms = [
      { response_format: formatOf(open) },
      { response_format: formatOf(open), logprobs: true },
      { tools: [tool], tool_choice: "required", parallel_tool_calls: false },
    ];
    for (const form of forms)
      for (const seed of [1, 2, 3, 4]) {
        const sampling = { temperature: seed === 1 ? 0 : 1.2, seed, max_tokens: 300 };
        const body = { ...form, ...sampling, reasoning_effort: "none" };
        const { content, calls, finish } = firstChoice(await requestJson(app, body));
        const text = calls[0]?.arguments ?? content;
        const keys = [...text.matchAll(/"([ab]+)"/g)].map(([, key]) => key);
        expect(new Set(keys).size, text).toBe(keys.length);
        if (finish !== "length") expect(Object.keys(JSON.parse(text) as object).length).toBeGreaterThan(3);
      }
  });
});

describe("D7: a stop sequence", () => {
  it("that truncates JSON ends it with `length`, never as a complete answer", async () => {
    const app = shared();
    const body = { response_format: formatOf(person), reasoning_effort: "none" };
    for (const ask of [requestJson, requestStream]) {
      const { content, finish } = firstChoice(await ask(app, { ...body, stop: "mood" }));
      expect({ content: content.trimEnd().endsWith('"'), finish }).toEqual({
        content: true,
        finish: "length",
      });
    }
  });

  it("that ends ordinary text results in `stop`", async () => {
    const app = shared();
    const body = { reasoning_effort: "none", deterministic: true };
    const free = firstChoice(await requestJson(app, body)).content;
    const word = free.split(" ").at(-1) ?? "";
    const { content, finish } = firstChoice(await requestJson(app, { ...body, stop: word }));
    expect({ content, finish }).toEqual({ content: free.slice(0, free.indexOf(word)), finish: "stop" });
  });
});
