/** Grammars, minimum lengths, stop tokens and cut prompts of requests, on the built-in model. */
import { expect, it } from "vitest";
import { fileServer } from "../../kit/server.js";
import { headersOf } from "../../kit/server/requests.js";
import { builtInModel, testKey } from "../../kit/server/settings.js";

const shared = fileServer();
const messages = [{ role: "user", content: "Hello!" }];

async function post(
  path: string,
  body: object,
): Promise<{ readonly status: number; readonly body: unknown }> {
  const response = await fetch(shared().url + path, {
    method: "POST",
    headers: headersOf(testKey),
    body: JSON.stringify({ model: builtInModel, max_tokens: 24, temperature: 0, ...body }),
  });
  return { status: response.status, body: await response.json() };
}

it("answers with one of the texts of guided_choice, and as a grammar describes, in chat and in completions", async () => {
  for (const [path, prompt] of [
    ["/v1/chat/completions", { messages }],
    ["/v1/completions", { prompt: "Once" }],
  ] as const)
    for (const [format, expected] of [
      [{ guided_choice: ["left", 'ri"ght\n'] }, /^(left|ri"ght\n)$/],
      [
        { grammar: 'root ::= item ("," item){1,2} # a list\nitem ::= [ab]+ "!"' },
        /^[ab]+!(,[ab]+!){1,2}$|^[ab!,]{24}/,
      ],
      [{ structured_outputs: { choice: ["one"] } }, /^one$/],
      [{ guided_regex: "[ab]{2,4}\\n?|c" }, /^([ab]{2,4}\n?|c)$/],
      [{ structured_outputs: { regex: "^(?=.{3})\\d+\\.\\d{2}$" } }, /^\d+\.\d{2}$|^\d{3,24}$/],
      [{ guided_regex: 'say "\\\\"' }, /^say "\\"$/],
    ] as const) {
      const { status, body } = await post(path, { ...prompt, ...format });
      const { choices } = body as {
        readonly choices: readonly [{ text?: string; message?: { content: string } }];
      };
      const text = choices[0].text ?? choices[0].message?.content;
      expect([path, status, text]).toEqual([path, 200, expect.stringMatching(expected)]);
    }
});

it("refuses a regular expression that is none, or that no automaton within its limits is, and says why", async () => {
  for (const [regex, reason] of [
    ["a)|(b", /Unmatched '\)'/],
    ["[a", /Unterminated character class/],
    ["(a+)\\1", /backreferences and lookaround/],
    ["(?:a(?=b))*c", /backreferences and lookaround/],
    ["[^\\s\\S]", /no text matches it/],
    ["(a{1,60}b{1,60}){1,60}", /cannot be used|too costly/],
    ["a".repeat(2_049), /at most 2048 bytes/],
  ] as const)
    for (const [fields, param] of [
      [{ guided_regex: regex }, "guided_regex"],
      [{ structured_outputs: { regex } }, "structured_outputs.regex"],
    ] as const) {
      const { status, body } = await post("/v1/chat/completions", { messages, ...fields });
      expect([regex, status, body]).toMatchObject([
        regex,
        400,
        { error: { param, message: expect.stringMatching(reason) as string } },
      ]);
    }
});

it("refuses a grammar that llama.cpp cannot follow or that costs too much, and says why", async () => {
  for (const [grammar, reason] of [
    ["root ::= other", /the rule 'other' is not defined/],
    ['item ::= "a"', /no rule 'root'/],
    ['root ::= root "a" | "b"', /'root' begins with itself/],
    ['root ::= x "a"\nx ::= ("b")? root', /'root' begins with itself|'x' begins with itself/],
    ['root ::= ("a"?)*', /repeats what can be the empty text/],
    ['root ::= "a"{1,9999}', /more than 5000 iterations/],
    [`root ::= ${"(".repeat(200)}"a"${")".repeat(200)}`, /more than 100 brackets/],
    ['root ::= "a', /is not understood/],
    ['root ::= "a"\nroot ::= "b"', /defined twice/],
  ] as const) {
    const { status, body } = await post("/v1/chat/completions", { messages, grammar });
    expect([grammar, status, body]).toMatchObject([
      grammar,
      400,
      { error: { param: "grammar", message: expect.stringMatching(reason) as string } },
    ]);
  }
});

it("does not end an answer before min_tokens, never with ignore_eos, and ends it at a token of stop_token_ids", async () => {
  interface Answer {
    readonly usage: { readonly completion_tokens: number };
    readonly choices: readonly [{ readonly finish_reason: string }];
  }
  const ask = async (fields: object): Promise<readonly [number, string]> => {
    const { body } = await post("/v1/completions", { prompt: "Once", ...fields });
    const { usage, choices } = body as Answer;
    return [usage.completion_tokens, choices[0].finish_reason];
  };
  expect(await ask({ ignore_eos: true })).toEqual([24, "length"]);
  const [tokens] = await ask({ min_tokens: 20 });
  expect(tokens).toBeGreaterThanOrEqual(20);
  const all = Array.from({ length: 256 }, (_, id) => id);
  expect((await ask({ stop_token_ids: all }))[1]).toMatch(/stop|length/);
  const { status, body } = await post("/v1/completions", { prompt: "Once", stop_token_ids: [2 ** 31 - 1] });
  expect([status, body]).toMatchObject([400, { error: { param: "stop_token_ids.0" } }]);
});

it("keeps the last tokens of a raw prompt with truncate_prompt_tokens, also of one that the context does not hold", async () => {
  const prompt = "Once upon a time. ".repeat(20_000);
  const whole = await post("/v1/completions", { prompt });
  expect(whole.status).toBe(400);
  const cut = await post("/v1/completions", { prompt, truncate_prompt_tokens: 9, echo: true });
  expect([cut.status, cut.body]).toMatchObject([
    200,
    {
      usage: { prompt_tokens: 9 },
      choices: [{ text: expect.stringMatching(/^.{0,50}a time\. /) as string }],
    },
  ]);
  const filled = await post("/v1/completions", { prompt: "a", suffix: "b", truncate_prompt_tokens: 9 });
  expect(filled).toMatchObject({ status: 400, body: { error: { param: "truncate_prompt_tokens" } } });
});
