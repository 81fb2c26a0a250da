/** One server whose models run on engines of every kind, whose answers a test writes. */
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { sampleText } from "../../../src/engine/remote/check.js";
import type { Overrides } from "../../../src/app/app.js";
import {
  rawKinds,
  startRawEngine,
  type Delta,
  type RawEngine,
  type RawKind,
} from "../../kit/doubles/engines/raw.js";
import { root, temporaryFolder, type Finished } from "../../kit/folder.js";
import { forFile } from "../../kit/for-file.js";
import { type TestServer, startServer } from "../../kit/server.js";
import { builtInModel, testKey } from "../../kit/server/settings.js";

/** The models of a server by the kind of their engine: copies of the built-in model, whose vocabulary is here. */
const modelOn = {
  openai: "hosted",
  vllm: "tiny-on-vllm",
  sglang: "tiny-on-sglang",
  "llama-server": "tiny-on-llama-server",
} as const satisfies Readonly<Record<RawKind, string>>;

export interface PlacedOnRaw extends TestServer {
  readonly engine: RawEngine;
  readonly model: string;
}

export interface Vocabulary {
  /** What the model cuts the sample text into. */
  sample: readonly number[];
  /** Tokens that answers consist of. */
  readonly ids: number[];
}

/** Starts an engine that has the built-in model's vocabulary as soon as that is known. */
export function startTinyEngine(
  kind: RawKind,
  vocabulary: Vocabulary,
  finished: Finished,
): Promise<RawEngine> {
  const tokenize = (text: string): readonly number[] => (text === sampleText ? vocabulary.sample : []);
  return startRawEngine(kind, { tokenize, ids: vocabulary.ids }, finished);
}

/** Returns how settings place a model on an engine. */
export function placing(kind: RawKind, url: string | readonly string[], id: string = modelOn[kind]): object {
  const placed = { id, name: "tiny", ...(kind === "openai" ? { contextTokens: 2048 } : {}) };
  return { kind, url, apiKey: "sk-key-of-the-engine", models: [placed] };
}

/** Copies a built-in model under other names. @returns the folder. */
export function copyModel(id: string, names: readonly string[], folder: string): string {
  for (const name of names)
    copyFileSync(join(root, "models", id, `${id}.gguf`), join(folder, `${name}.gguf`));
  return folder;
}

/** Reads what the built-in model cuts texts into, from a server that runs it in this process. */
export async function readVocabulary({ app }: TestServer, vocabulary: Vocabulary): Promise<void> {
  const { engine, models } = app;
  const model = models.find(builtInModel);
  if (model === null) throw new Error("there is no built-in model");
  const lease = await engine.load(model);
  const idsOf = async (text: string): Promise<readonly number[]> =>
    Array.from(await engine.tokenize(model, text), ({ id }) => id);
  vocabulary.sample = await idsOf(sampleText);
  vocabulary.ids.push(...(await idsOf("one two three four five")));
  lease.release();
}

/**
 * Returns the server of a file by the kind of an engine, which starts anew. An engine that has failed in an earlier test answers
 * again: requests check it before they are refused. Call it outside of tests.
 */
export function placeOnRaw(overrides: Overrides = {}): {
  readonly vocabulary: Vocabulary;
  on(kind: RawKind, delta?: Delta): PlacedOnRaw;
} {
  const vocabulary: Vocabulary = { sample: [], ids: [] };
  const shared = forFile(async (finished) => {
    const engines = await Promise.all(rawKinds.map((kind) => startTinyEngine(kind, vocabulary, finished)));
    const copies = rawKinds.filter((kind) => kind !== "openai").map((kind) => modelOn[kind]);
    const server = await startServer({
      environment: {
        HEARTH_ENGINES: JSON.stringify(engines.map(({ kind, url }) => placing(kind, url))),
        HEARTH_MODELS: copyModel(builtInModel, copies, temporaryFolder(finished)),
      },
      ...overrides,
      finished,
    });
    await readVocabulary(server, vocabulary);
    return { server, engines };
  });
  return {
    vocabulary,
    on(kind, delta) {
      const { server, engines } = shared();
      const engine = engines.find((each) => each.kind === kind);
      if (engine === undefined) throw new Error(`there is no engine of the kind ${kind}`);
      engine.restart(delta);
      return { ...server, engine, model: modelOn[kind] };
    },
  };
}

/** Posts a JSON body with the test's key. */
export async function post(
  { url }: Pick<TestServer, "url">,
  path: string,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return fetch(`${url}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${testKey}`, "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
}
