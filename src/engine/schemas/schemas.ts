/**
 * JSON Schemas made into rules, in a thread of their own with a bound on time and memory: a schema that takes too much ends
 * the thread and not the server. What was made is kept, bounded.
 */
import { LRUCache } from "lru-cache";
import { createHash } from "node:crypto";
import { HearthError } from "../../core/errors.js";
import type { Clock } from "../../core/clock.js";
import type { CompiledSchema, Schemas } from "../../core/schemas.js";
import { WorkThread, type WorkLost } from "../thread.js";
import type { Converted, SchemaOutcome, SchemaWork } from "./protocol.js";

export interface SchemasDeps {
  readonly clock: Clock;
  /** What the absence of `additionalProperties` means: true, none are generated, as the hosted service rules. */
  readonly closed: boolean;
  /** Compiled worker.js; a test that runs from the sources names the compiled one. */
  readonly workerUrl: URL;
  readonly log: (message: string) => void;
}

/** Time that one piece of work may take in the thread. */
const workMsMax = 900;
const memoryMbMax = 256;
const compiledMax = 500;
const compiledBytesMax = 64_000_000;
/** Pieces of work that may wait. */
const lineMax = 1_000;

/** Builds the service; nothing is started before the first schema. */
export function createSchemas(deps: SchemasDeps): Schemas {
  const thread = createThread(deps);
  const compiled = new LRUCache<string, { readonly outcome: Promise<SchemaOutcome> }>({ max: compiledMax });
  const sizes = new LRUCache<string, true>({
    maxSize: compiledBytesMax,
    dispose: (_, key) => void compiled.delete(key),
  });
  const convert = (schema: unknown, key: string): Promise<SchemaOutcome> => {
    const known = compiled.get(key);
    if (known !== undefined) return known.outcome;
    const prefix = `s${key.slice(0, 12)}-`;
    const outcome = thread.run({ type: "convert", schema, prefix, closed: deps.closed });
    compiled.set(key, { outcome });
    outcome.then(
      (made) => void sizes.set(key, true, { size: sizeOf(made) }),
      () => compiled.delete(key),
    );
    return outcome;
  };
  return {
    async compile(schema, param) {
      const key = createHash("sha256").update(JSON.stringify(schema)).digest("hex");
      const outcome = await convert(schema, key);
      if (outcome.type === "converted") return asCompiled(thread, schema, key, outcome.converted);
      throw refusal(outcome, param);
    },
    close: () => thread.close(),
  };
}

interface SchemaThread {
  run(work: SchemaWork): Promise<SchemaOutcome>;
  close(): Promise<void>;
}

function createThread({ clock, workerUrl, log }: SchemasDeps): SchemaThread {
  const thread = new WorkThread<SchemaWork, SchemaOutcome>({
    clock,
    workerUrl,
    subject: "schemas",
    workMsMax,
    memoryMbMax,
    lineMax,
    idleMsMax: null,
    log,
  });
  return {
    run: async (work) => {
      const outcome = await thread.run(work);
      return outcome.type === "lost" ? tooMuch(outcome) : outcome;
    },
    close: () => thread.close(),
  };
}

function tooMuch({ why }: WorkLost): SchemaOutcome {
  const what = why === "time" ? `it takes longer than ${workMsMax} ms to read` : "it takes too much memory";
  const message = `${what}; use a smaller or simpler schema.`;
  return { type: "refused", message, keyword: null, pointer: "" };
}

function asCompiled(thread: SchemaThread, schema: unknown, key: string, made: Converted): CompiledSchema {
  return {
    ...made,
    async check(text) {
      const outcome = await thread.run({ type: "check", schema, key, text });
      if (outcome.type === "checked") return outcome.wrong;
      throw refusal(outcome, "response_format");
    },
  };
}

function sizeOf(outcome: SchemaOutcome): number {
  if (outcome.type !== "converted") return 1_000;
  let size = 1_000;
  for (const [name, rightSide] of outcome.converted.rules) size += name.length + rightSide.length;
  return size;
}

function refusal(outcome: SchemaOutcome, param: string): HearthError {
  if (outcome.type !== "refused")
    return new HearthError("internal", "An internal error occurred.", {
      cause: outcome.type === "failed" ? new Error(outcome.cause) : outcome,
    });
  const { message, keyword, pointer } = outcome;
  const place = keyword === null ? "" : ` ('${keyword}' at '${pointer === "" ? "#" : `#${pointer}`}')`;
  return new HearthError("invalid_value", `Invalid schema: ${message}${place}`, {
    param,
    code: "invalid_schema",
  });
}
