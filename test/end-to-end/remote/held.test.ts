/** What one engine does holds no model of another: loads, lists and states. */
import type { ServerResponse } from "node:http";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { beginStream, rawKinds, type RawEngine, type RawKind } from "../../kit/doubles/engines/raw.js";
import { temporaryFolder, type Finished } from "../../kit/folder.js";
import { forFile } from "../../kit/for-file.js";
import { startServer } from "../../kit/server.js";
import { builtInModel, testKey } from "../../kit/server/settings.js";
import { until } from "../../kit/until.js";
import { copyModel, placing, post, readVocabulary, startTinyEngine, type Vocabulary } from "./placed-raw.js";

const embedder = "hearth-embed-1m";
const messages = [{ role: "user", content: "Hello" }];
const tokenKinds = ["vllm", "sglang", "llama-server"] as const;
/** Questions that an engine of each kind is asked before its first answer. */
const questions = {
  openai: ["/v1/models", "/v1/chat/completions"],
  vllm: ["/health", "/v1/models", "/metrics", "/tokenize", "/v1/completions"],
  sglang: ["/health", "/v1/models", "/metrics", "/tokenize", "/generate"],
  "llama-server": ["/health", "/props", "/tokenize", "/completion"],
} as const;

interface Case {
  readonly kind: RawKind;
  /** The question that its engine does not answer. */
  readonly path: string;
  /** Nothing else runs on its engine. */
  readonly model: string;
}

const chats = rawKinds.flatMap((kind) =>
  questions[kind].map((path): Case => ({ kind, path, model: `chat-${kind}${path.replaceAll("/", "-")}` })),
);
const pairs = tokenKinds.map((kind): Case => ({ kind, path: "/tokenize", model: `pair-${kind}` }));
const embeds = tokenKinds.map((kind): Case => ({ kind, path: "/tokenize", model: `embed-${kind}` }));

interface Silent {
  readonly engine: RawEngine;
  /** Questions that wait for an answer. */
  readonly held: ServerResponse[];
  /** Ends the connections of these questions, and of later ones. */
  readonly end: () => void;
}

// A check that is not answered goes on until the test ends it, however slow the machine is. The checks begin with the server.
beforeAll(() => {
  vi.spyOn(AbortSignal, "timeout").mockImplementation(() => new AbortController().signal);
});
afterAll(() => void vi.restoreAllMocks());

const vocabulary: Vocabulary = { sample: [], ids: [] };

async function startSilent({ kind, path }: Case, finished: Finished): Promise<Silent> {
  const engine = await startTinyEngine(kind, vocabulary, finished);
  const held: ServerResponse[] = [];
  engine.other = (asked, response) => asked === path && held.push(response) > 0;
  const end = (): void => {
    engine.other = (asked, response) => asked === path && response.destroy() !== null;
    for (const response of held) response.destroy();
  };
  return { engine, held, end };
}

async function startWhole(kind: RawKind, finished: Finished): Promise<RawEngine> {
  const engine = await startTinyEngine(kind, vocabulary, finished);
  engine.answer = (response, frames) => {
    beginStream(response);
    response.end(`${frames.token()}${frames.finish}data: [DONE]\n\n`);
  };
  return engine;
}

/** One server for all cases: each has a model of its own, which no request has loaded and whose engine is silent from the start. */
const shared = forFile(async (finished) => {
  const silent = new Map<Case, Silent>();
  const settings: object[] = [];
  const folder = temporaryFolder(finished);
  for (const each of [...chats, ...pairs, ...embeds]) {
    const started = await startSilent(each, finished);
    silent.set(each, started);
    const urls = [started.engine.url];
    if (pairs.includes(each)) urls.push((await startWhole(each.kind, finished)).url);
    settings.push(placing(each.kind, urls, each.model));
    if (each.kind !== "openai")
      copyModel(embeds.includes(each) ? embedder : builtInModel, [each.model], folder);
  }
  settings.push(placing("openai", (await startWhole("openai", finished)).url, "other"));
  const app = await startServer({
    environment: { HEARTH_ENGINES: JSON.stringify(settings), HEARTH_MODELS: folder },
    finished,
  });
  await readVocabulary(app, vocabulary);
  return { app, silent };
});

/** Returns the server, and what is silent in a case. */
function findSilent(each: Case) {
  const { app, silent } = shared();
  const found = silent.get(each);
  if (found === undefined) throw new Error("every case has an engine");
  return { app, ...found };
}

const chatOf = (model: string): object => ({ model, messages, max_tokens: 4 });

describe("F30: a question that an engine does not answer", () => {
  it.each(chats)("holds its own model only: $kind, $path", async (each) => {
    const { app, held, end } = findSilent(each);
    let isAnswered = false;
    const own = post(app, "/v1/chat/completions", chatOf(each.model)).then((answer) => {
      isAnswered = true;
      return answer.text();
    });
    await until(() => held.length > 0);
    const answers = await Promise.all([
      ...[builtInModel, "other"].map((model) => post(app, "/v1/chat/completions", chatOf(model))),
      post(app, "/v1/embeddings", { model: embedder, input: "Hello" }),
      ...["/v1/models", "/v1/hearth/ps", "/readyz", "/metrics"].map((list) =>
        fetch(`${app.url}${list}`, { headers: { authorization: `Bearer ${testKey}` } }),
      ),
    ]);
    expect(isAnswered).toBe(false);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    end();
    await own;
  });

  it.each(embeds)("about an embedding model holds no chat model of this process: $kind", async (each) => {
    const { app, held, end } = findSilent(each);
    let isAnswered = false;
    const own = post(app, "/v1/embeddings", { model: each.model, input: "Hello" }).then((answer) => {
      isAnswered = true;
      return answer.text();
    });
    await until(() => held.length > 0);
    const answer = await post(app, "/v1/chat/completions", chatOf(builtInModel));
    expect([answer.status, isAnswered]).toEqual([200, false]);
    end();
    await own;
  });

  it.each(pairs)("holds no request that another server of the model can answer: $kind", async (each) => {
    const { app, engine, held } = findSilent(each);
    const answer = await post(app, "/v1/chat/completions", chatOf(each.model));
    const areOpen = held.map(({ destroyed }) => !destroyed);
    expect([answer.status, areOpen, engine.asked]).toEqual([200, [true], []]);
  });
});
