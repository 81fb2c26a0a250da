/** What one engine does holds no model of another: loads, lists and states. */
import type { ServerResponse } from "node:http";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { sampleText } from "../../../src/engine/remote/check.js";
import { beginStream, rawKinds, startRawEngine } from "../../kit/doubles/engines/raw.js";
import { startServer } from "../../kit/server.js";
import { builtInModel, testKey } from "../../kit/server/settings.js";
import { until } from "../../kit/until.js";
import { builtInVocabulary, post } from "./placed-raw.js";

const vocabulary = builtInVocabulary();
const embedder = "hearth-embed-1m";
const messages = [{ role: "user", content: "Hello" }];
/** Questions that an engine of each kind is asked before its first answer. */
const questions = {
  openai: ["/v1/models", "/v1/chat/completions"],
  vllm: ["/health", "/v1/models", "/metrics", "/tokenize", "/v1/completions"],
  sglang: ["/health", "/v1/models", "/metrics", "/tokenize", "/generate"],
  "llama-server": ["/health", "/props", "/tokenize", "/completion"],
} as const;

const cases = rawKinds.flatMap((kind) => questions[kind].map((path) => [kind, path] as const));

// A check that is not answered goes on until the test ends it, however slow the machine is.
beforeEach(() => {
  const timeout = vi.spyOn(AbortSignal, "timeout").mockReturnValue(new AbortController().signal);
  return () => timeout.mockRestore();
});

describe("F30: a question that an engine does not answer", () => {
  it.each(cases)("holds its own model only: %s, %s", async (kind, path) => {
    const { sample, ids } = vocabulary();
    const tokenize = (text: string): readonly number[] => (text === sampleText ? sample : []);
    const engine = await startRawEngine(kind, { tokenize, ids });
    const held: ServerResponse[] = [];
    engine.other = (asked, response) => asked === path && held.push(response) > 0;
    const model = kind === "openai" ? "hosted" : builtInModel;
    const placed = { id: model, name: "tiny", ...(kind === "openai" ? { contextTokens: 2048 } : {}) };
    const other = await startRawEngine("openai", { tokenize, ids });
    other.answer = (response, frames) => {
      beginStream(response);
      response.end(`${frames.token()}${frames.finish}data: [DONE]\n\n`);
    };
    const app = await startServer({
      environment: {
        HEARTH_ENGINES: JSON.stringify([
          { kind, url: engine.url, models: [placed] },
          { kind: "openai", url: other.url, models: [{ id: "other", name: "tiny", contextTokens: 2048 }] },
        ]),
      },
    });
    let isAnswered = false;
    const own = post(app, "/v1/chat/completions", { model, messages, max_tokens: 4 }).then((answer) => {
      isAnswered = true;
      return answer.text();
    });
    await until(() => held.length > 0);
    const local = kind === "openai" ? [builtInModel, "other"] : ["other"];
    const answers = await Promise.all([
      ...local.map((each) => post(app, "/v1/chat/completions", { model: each, messages, max_tokens: 4 })),
      post(app, "/v1/embeddings", { model: embedder, input: "Hello" }),
      ...["/v1/models", "/v1/hearth/ps", "/readyz", "/metrics"].map((list) =>
        fetch(`${app.url}${list}`, { headers: { authorization: `Bearer ${testKey}` } }),
      ),
    ]);
    expect(isAnswered).toBe(false);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    for (const response of held) response.destroy();
    engine.other = (asked, response) => asked === path && response.destroy() !== null;
    await own;
  });

  it.each(["vllm", "sglang", "llama-server"] as const)(
    "about an embedding model holds no chat model of this process: %s",
    async (kind) => {
      const engine = await startRawEngine(kind, { tokenize: () => [], ids: [] });
      const held: ServerResponse[] = [];
      engine.other = (asked, response) => asked === "/tokenize" && held.push(response) > 0;
      const models = [{ id: embedder, name: "tiny" }];
      const app = await startServer({
        environment: { HEARTH_ENGINES: JSON.stringify([{ kind, url: engine.url, models }]) },
      });
      let isAnswered = false;
      const own = post(app, "/v1/embeddings", { model: embedder, input: "Hello" }).then((answer) => {
        isAnswered = true;
        return answer.text();
      });
      await until(() => held.length > 0);
      const answer = await post(app, "/v1/chat/completions", {
        model: builtInModel,
        messages,
        max_tokens: 4,
      });
      expect([answer.status, isAnswered]).toEqual([200, false]);
      engine.other = (asked, response) => asked === "/tokenize" && response.destroy() !== null;
      for (const response of held) response.destroy();
      await own;
    },
  );

  it.each(["vllm", "sglang", "llama-server"] as const)(
    "holds no request that another server of the model can answer: %s",
    async (kind) => {
      const { sample, ids } = vocabulary();
      const tokenize = (text: string): readonly number[] => (text === sampleText ? sample : []);
      const engines = await Promise.all([1, 2].map(() => startRawEngine(kind, { tokenize, ids })));
      const [silent, whole] = engines;
      if (silent === undefined || whole === undefined) throw new Error("there are two engines");
      const held: ServerResponse[] = [];
      silent.other = (asked, response) => asked === "/tokenize" && held.push(response) > 0;
      whole.answer = (response, frames) => {
        beginStream(response);
        response.end(`${frames.token()}${frames.finish}`);
      };
      const models = [{ id: builtInModel, name: "tiny" }];
      const app = await startServer({
        environment: {
          HEARTH_ENGINES: JSON.stringify([{ kind, url: engines.map(({ url }) => url), models }]),
        },
      });
      const answer = await post(app, "/v1/chat/completions", {
        model: builtInModel,
        messages,
        max_tokens: 4,
      });
      const areOpen = held.map(({ destroyed }) => !destroyed);
      expect([answer.status, areOpen, silent.asked]).toEqual([200, [true], []]);
    },
  );
});
