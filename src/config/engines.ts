/** Settings of the remote engines that models run on. */
import { z } from "zod";
import { list, whole } from "./values.js";

const enginesMax = 100;
const urlsMax = 100;
const modelsMax = 1_000;

const address = z
  .string()
  .transform((written) => written.replace(/\/+$/, ""))
  .refine(
    isPlainUrl,
    "must be an address such as http://10.0.0.5:8080, without user, query and fragment; the key is apiKey",
  );

function isPlainUrl(written: string): boolean {
  if (!/^https?:\/\//.test(written) || !URL.canParse(written)) return false;
  const { search, hash, username, password } = new URL(written);
  return [search, hash, username, password].every((part) => part === "");
}

const name = z.string().min(1, "must not be empty").max(200);

const placedModel = z.union(
  [
    name.transform((id) => ({ id, name: id, contextTokens: null })),
    z.strictObject({
      id: name,
      name,
      /** Tokens of prompt and answer together, of a model that a server of the kind openai has. */
      contextTokens: whole(256, 100_000_000).nullable().default(null),
    }),
  ],
  "must be the id of a model, or an object with id and name, where the engine has another name for it, and contextTokens for the kind openai",
);

const engine = z.strictObject({
  kind: z.enum(["llama-server", "vllm", "sglang", "openai"], "must be llama-server, vllm, sglang or openai"),
  /** One address, or the addresses of several servers that run the same model. */
  url: list.pipe(z.array(address).min(1).max(urlsMax)),
  /** Ids of the models that run on it. */
  models: z.array(placedModel).min(1).max(modelsMax),
  apiKey: z
    .string()
    .min(1)
    .max(1024)
    .regex(/^[\x21-\x7e]+$/, "must be printable ASCII without spaces")
    .nullable()
    .default(null),
  /** Generations at a time, over all its servers; null: as many as they say they run. */
  maxConcurrency: whole(1, 10_000).nullable().default(null),
  /** `team`: a server continues on what it has evaluated for the same team; `off`: on nothing. */
  prefixCache: z.enum(["team", "off"]).default("team"),
});

/** In a variable, a list of objects is JSON. */
const engines = z.preprocess(
  (written) => (typeof written === "string" ? parseJson(written) : written),
  z.array(engine).max(enginesMax).superRefine(refuseTwice),
);

export type EngineSetting = z.infer<typeof engine>;

/** A model runs in one place. */
function refuseTwice(written: readonly EngineSetting[], context: z.RefinementCtx): void {
  const seen = new Set<string>();
  for (const [at, { kind, models }] of written.entries())
    for (const [index, { id, contextTokens }] of models.entries()) {
      if ((kind === "openai") !== (contextTokens !== null))
        context.addIssue({
          code: "custom",
          path: [at, "models", index],
          message:
            kind === "openai"
              ? `'${id}' needs contextTokens (and id and name): such a server does not say how much its model reads`
              : `'${id}' must not have contextTokens: its file says it`,
        });
      if (seen.has(id))
        context.addIssue({
          code: "custom",
          path: [at, "models", index],
          message: `'${id}' is there twice; several servers of one model are several addresses in url`,
        });
      seen.add(id);
    }
}

function parseJson(written: string): unknown {
  try {
    return JSON.parse(written);
  } catch {
    return written;
  }
}

export const engineSettings = {
  /** Engines outside of this process, and the models that run on them. */
  engines: engines.default([]),
} as const;
