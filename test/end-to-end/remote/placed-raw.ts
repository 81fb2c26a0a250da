/** The built-in model, and one that is hosted, on engines whose answers a test writes. */
import { beforeAll } from "vitest";
import { sampleText } from "../../../src/engine/remote/check.js";
import type { Overrides } from "../../../src/app/app.js";
import { startRawEngine, type Delta, type RawEngine, type RawKind } from "../../kit/doubles/engines/raw.js";
import { type TestServer, fileServer, startServer } from "../../kit/server.js";
import { builtInModel, testKey } from "../../kit/server/settings.js";

export interface PlacedOnRaw extends TestServer {
  readonly engine: RawEngine;
  readonly model: string;
}

interface Vocabulary {
  readonly sample: readonly number[];
  readonly ids: readonly number[];
}

/** Returns what the built-in model cuts texts into. Call it outside of tests. */
export function builtInVocabulary(): () => Vocabulary {
  const local = fileServer();
  let vocabulary: Vocabulary = { sample: [], ids: [] };
  beforeAll(async () => {
    const { engine, models } = local().app;
    const model = models.find(builtInModel);
    if (model === null) throw new Error("there is no built-in model");
    const lease = await engine.load(model);
    const idsOf = async (text: string): Promise<readonly number[]> =>
      Array.from(await engine.tokenize(model, text), ({ id }) => id);
    vocabulary = { sample: await idsOf(sampleText), ids: await idsOf("one two three four five") };
    lease.release();
  });
  return () => vocabulary;
}

export interface RawPlacing {
  readonly vocabulary: Vocabulary;
  readonly delta?: Delta;
  readonly overrides?: Overrides;
  readonly environment?: NodeJS.ProcessEnv;
}

/** Starts an engine of a kind and a server whose model runs there. */
export async function placeOnRaw(
  kind: RawKind,
  { vocabulary, delta, overrides = {}, environment = {} }: RawPlacing,
): Promise<PlacedOnRaw> {
  const tokenize = (text: string): readonly number[] => (text === sampleText ? vocabulary.sample : []);
  const engine = await startRawEngine(kind, {
    tokenize,
    ids: vocabulary.ids,
    ...(delta === undefined ? {} : { delta }),
  });
  const model = kind === "openai" ? "hosted" : builtInModel;
  const placed = { id: model, name: "tiny", ...(kind === "openai" ? { contextTokens: 2048 } : {}) };
  const settings = { kind, url: engine.url, apiKey: "sk-key-of-the-engine", models: [placed] };
  const app = await startServer({
    environment: { HEARTH_ENGINES: JSON.stringify([settings]), ...environment },
    ...overrides,
  });
  return { ...app, engine, model };
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
