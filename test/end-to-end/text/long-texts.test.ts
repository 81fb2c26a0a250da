/** F28: a text that cannot fit is refused by its length, before it is copied, rendered or tokenized. */
import { describe, expect, it } from "vitest";
import { refuseLongInputs } from "../../../src/engine/language/inputs/input-length.js";
import { refuseLongPrompt } from "../../../src/engine/language/prompt/prompt-length.js";
import { fileServer } from "../../kit/server.js";
import { builtInModel, testKey } from "../../kit/server/settings.js";

const bounds = { contextTokens: 100, longestTokenBytes: 8 };
const talk = (
  ...messages: (readonly [role: "user" | "assistant" | "system" | "tool", content: string])[]
) => ({
  messages: messages.map(([role, content]) => ({ role, content })),
  tools: [],
  reasoningEffort: null,
});
const raw = (prompt: string | readonly number[]) => ({ prompt, suffix: null, readsControlTokens: false });

describe("F28: the bound of a prompt", () => {
  it.each([
    ["the last message of a user", talk(["system", "s"], ["user", "x".repeat(800)])],
    ["an earlier message", talk(["user", "x".repeat(800)], ["assistant", "a"], ["user", "hi"])],
    ["a message of the system", talk(["system", "x".repeat(800)], ["user", "hi"])],
    ["several messages together", talk(["system", "x".repeat(400)], ["user", "x".repeat(400)])],
    ["a result of a tool", talk(["tool", "x".repeat(800)])],
    [
      "the description of a tool",
      { ...talk(["user", "hi"]), tools: [{ name: "t", description: "x".repeat(800) }] },
    ],
    ["a raw prompt", raw("x".repeat(800))],
    ["a text of characters of several bytes", talk(["user", "é".repeat(800)])],
  ])("refuses %s that has too many tokens, whatever they are, with both numbers", (_name, source) => {
    expect(() => refuseLongPrompt(source as never, bounds)).toThrow(
      /maximum prompt length is 99 but the request contains at least (100|101|200) tokens/,
    );
  });

  it.each([
    ["a text one token shorter", talk(["user", "x".repeat(792)])],
    ["a message that a template may leave out", talk(["assistant", "x".repeat(9_000)], ["user", "hi"])],
    ["white space that a template may remove", talk(["user", `${" ".repeat(9_000)}hi\n`])],
    ["token ids", raw(Array.from({ length: 9_000 }, () => 1))],
  ])("leaves %s to the tokenizer", (_name, source) => {
    expect(() => refuseLongPrompt(source as never, bounds)).not.toThrow();
  });

  it("refuses inputs of embedding models, and names the first", () => {
    const long = "x".repeat(65 * 100);
    const refusal = (field: string) =>
      new RegExp(`^${field}: has at least 102 tokens, but this model reads at most 100 tokens`);
    expect(() => refuseLongInputs({ type: "inputs", inputs: ["a", [1, 2], long] }, 100)).toThrow(
      refusal("input.2"),
    );
    for (const type of ["pairs", "separate"] as const) {
      expect(() => refuseLongInputs({ type, query: long, documents: [] }, 100)).toThrow(refusal("query"));
      expect(() => refuseLongInputs({ type, query: "q", documents: ["a", long] }, 100)).toThrow(
        refusal("documents.1"),
      );
    }
  });
});

const shared = fileServer();
const text = "The event loop answers others meanwhile. ".repeat(100_000);
const messages = [{ role: "user", content: text }];
const model = builtInModel;
const embedding = "hearth-embed-1m";

it("F28: every dialect refuses such a text with both numbers", async () => {
  const { url } = shared();
  const bodies: Readonly<Record<string, object>> = {
    "/v1/chat/completions": { model, messages },
    "/v1/responses": { model, input: text },
    "/v1/messages": { model, messages, max_tokens: 1 },
    "/v1/messages/count_tokens": { model, messages },
    "/v1/completions": { model, prompt: text },
    "/v1/embeddings": { model: embedding, input: text },
    "/v1/rerank": { model: embedding, query: "q", documents: [text] },
    "/api/chat": { model, messages },
    "/api/generate": { model, prompt: text },
    "/api/embed": { model: embedding, input: text, truncate: false },
  };
  const answers = Object.entries(bodies).map(async ([path, body]) => {
    const headers = { authorization: `Bearer ${testKey}`, "content-type": "application/json" };
    const answer = await fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) });
    return [path, answer.status, numbersIn(await answer.text())];
  });
  const chat = (path: string) => !/embed|rerank/.test(path);
  expect(await Promise.all(answers)).toEqual(
    Object.keys(bodies).map((path) => [path, 400, chat(path) ? ["8191", "205000"] : ["512", "64063"]]),
  );
});

/** Returns the limit and the least number of tokens that an error names. */
function numbersIn(text: string): readonly (string | undefined)[] {
  const limit = /maximum prompt length is (\d+)|reads at most (\d+)/.exec(text);
  return [limit?.[1] ?? limit?.[2], /at least (\d+) tokens/.exec(text)?.[1]];
}
