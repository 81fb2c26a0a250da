/** Asks the servers of each kind whether they are ready, what they are, and whether they cut text as the model's own file says. */
import { z } from "zod";
import { engineUnreachable } from "./errors.js";
import { check, reasonIn, type Server } from "./http.js";
import type { RemoteKind, ServerProperties } from "./protocol.js";

/** `starting`: it loads its model. `refused`: it wants another API key. */
type CheckResult =
  | { readonly type: "ready"; readonly properties: ServerProperties }
  | { readonly type: "starting" }
  | { readonly type: "refused" };

/** Letters, signs, numbers, white space and characters of several bytes, which vocabularies cut differently. */
export const sampleText = "Hello, world! 3.14159 = π; naïve 你好 🙂\n\n\tif (x >= 10) { return 'ok'; }";

const whole = z.number().int();
const tokensSchema = z.object({ tokens: z.array(whole) });

interface Questions {
  readonly health: string;
  /** Whether a status says that the server is up; absent: 200 does. */
  readonly isUp?: (status: number) => boolean;
  /** @throws HearthError `engine_unreachable`, too, where the server has not all these models */
  properties(server: Server, modelNames: readonly string[]): Promise<ServerProperties>;
  readonly tokenize: {
    readonly path: string;
    readonly body: (text: string, modelName: string) => unknown;
  } | null;
}

const llamaProperties = z.object({
  total_slots: whole.min(1),
  default_generation_settings: z.object({ n_ctx: whole.min(1) }),
});

const modelList = z.object({
  data: z.array(z.object({ id: z.string(), max_model_len: whole.min(1).nullish() })),
});

/** Checks vLLM and SGLang, which have OpenAI's list of models, and the same tokenizer route. */
function completionQuestions(load: RegExp): Questions {
  return {
    health: "/health",
    async properties(server, modelNames) {
      const { data: list } = modelList.safeParse(await ask(server, "/v1/models"));
      if (list === undefined) throw engineUnreachable(server.url, "its /v1/models are not a list of models");
      const missing = modelNames.find((name) => list.data.every(({ id }) => id !== name));
      if (missing !== undefined)
        throw engineUnreachable(
          server.url,
          `it does not serve the model '${missing}'`,
          `it serves ${list.data.map(({ id }) => `'${id}'`).join(", ")}`.slice(0, 1_000),
        );
      const lengths = list.data.flatMap((each) => each.max_model_len ?? []);
      const contextTokens = lengths.length === 0 ? null : Math.min(...lengths);
      return { contextTokens, slots: null, requests: await countRequests(server, load) };
    },
    tokenize: {
      path: "/tokenize",
      body: (prompt, model) => ({ model, prompt, add_special_tokens: false }),
    },
  };
}

/** Returns the sum of the metrics whose names match; null where the server has none. */
async function countRequests(server: Server, names: RegExp): Promise<number | null> {
  const { status, text } = await check(server, "/metrics");
  const values = status === 200 ? [...text.matchAll(names)].map(([, value]) => Number(value)) : [];
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0);
}

const questions: Readonly<Record<RemoteKind, Questions>> = {
  "llama-server": {
    health: "/health",
    async properties(server) {
      const { data } = llamaProperties.safeParse(await ask(server, "/props"));
      if (data === undefined)
        throw engineUnreachable(server.url, "its /props are not those of a llama-server");
      const { total_slots: slots, default_generation_settings: settings } = data;
      return { contextTokens: settings.n_ctx, slots, requests: null };
    },
    tokenize: {
      path: "/tokenize",
      body: (content) => ({ content, add_special: false, parse_special: false }),
    },
  },
  vllm: completionQuestions(/^vllm:num_requests_(?:running|waiting)(?:\{[^}]*\})? ([\d.e+]+)$/gm),
  openai: {
    // Not every server lists its models, and some limit how often they are asked.
    health: "/models",
    isUp: (status) => status < 500,
    properties: () => Promise.resolve({ contextTokens: null, slots: null, requests: null }),
    tokenize: null,
  },
  sglang: completionQuestions(/^sglang:num_(?:running|queue)_reqs(?:\{[^}]*\})? ([\d.e+]+)$/gm),
};

/** @throws HearthError `engine_unreachable` */
export async function checkServer(
  kind: RemoteKind,
  server: Server,
  modelNames: readonly string[],
): Promise<CheckResult> {
  const { status, text } = await check(server, questions[kind].health);
  if (status === 503) return { type: "starting" };
  if (status === 401 || status === 403) return { type: "refused" };
  const { isUp = (found) => found === 200 } = questions[kind];
  if (!isUp(status))
    throw engineUnreachable(server.url, `it answered ${status}`, reasonIn(text, server.apiKey));
  try {
    return { type: "ready", properties: await questions[kind].properties(server, modelNames) };
  } catch (thrown) {
    if (thrown instanceof Refused) return { type: "refused" };
    throw thrown;
  }
}

/** Returns the server's tokens of the sample text. @throws HearthError `engine_unreachable` */
export async function sampleTokens(
  kind: RemoteKind,
  server: Server,
  modelName: string,
): Promise<readonly number[]> {
  const { tokenize } = questions[kind];
  if (tokenize === null) throw new Error("such a server takes no tokens");
  const { path, body } = tokenize;
  const { data } = tokensSchema.safeParse(await ask(server, path, body(sampleText, modelName)));
  if (data === undefined) throw engineUnreachable(server.url, `its answer to ${path} has no tokens`);
  return data.tokens;
}

class Refused extends Error {}

async function ask(server: Server, path: string, body?: unknown): Promise<unknown> {
  const { status, text } = await check(server, path, body);
  if (status === 401 || status === 403) throw new Refused();
  if (status !== 200)
    throw engineUnreachable(server.url, `it answered ${status} to ${path}`, reasonIn(text, server.apiKey));
  try {
    return JSON.parse(text);
  } catch (thrown) {
    throw engineUnreachable(server.url, `its answer to ${path} is not JSON`, thrown);
  }
}
