/**
 * Compiles JSON Schemas to grammar rules in a worker thread with limits on time and memory: a schema that exceeds them ends the thread
 * and not the server. Compiled schemas are cached.
 */
import { LRUCache } from "lru-cache";
import { createHash } from "node:crypto";
import { HearthError } from "../../core/errors.js";
import type { Clock } from "../../core/clock.js";
import type { CompiledSchema, Schemas } from "../../core/schemas.js";
import { WorkerLostError } from "../worker-client-options.js";
import { WorkerClient } from "../worker-client.js";
import type {
  ConvertedSchema,
  ConvertOutcome,
  RefusedSchema,
  SchemaReplies,
  SchemaRequest,
} from "./protocol.js";

export interface SchemasDeps {
  readonly clock: Clock;
  /** Whether objects without `additionalProperties` allow no further properties, as the hosted service does. */
  readonly closed: boolean;
  /** Compiled worker.js; tests that run from the sources pass the compiled one, too. */
  readonly workerUrl: URL;
  readonly log: (message: string) => void;
}

/** Time limit of one request in the thread. */
const requestMsMax = 900;
const memoryMbMax = 256;
const compiledMax = 500;
const compiledBytesMax = 64_000_000;
/** Requests that may wait. */
const waitingMax = 1_000;

type SchemaWorker = WorkerClient<SchemaRequest, SchemaReplies>;

/** Creates the service; the thread starts with the first schema. */
export function createSchemas(deps: SchemasDeps): Schemas {
  const worker = createWorker(deps);
  const compiled = new LRUCache<string, { readonly outcome: Promise<ConvertOutcome> }>({ max: compiledMax });
  const sizes = new LRUCache<string, true>({
    maxSize: compiledBytesMax,
    dispose: (_, key) => void compiled.delete(key),
  });
  const convert = (schema: unknown, key: string): Promise<ConvertOutcome> => {
    const known = compiled.get(key);
    if (known !== undefined) return known.outcome;
    const prefix = `s${key.slice(0, 12)}-`;
    const outcome = worker
      .call({ type: "convert", schema, prefix, closed: deps.closed })
      .catch(refusedIfLost);
    compiled.set(key, { outcome });
    outcome.then(
      (result) => void sizes.set(key, true, { size: sizeOf(result) }),
      () => compiled.delete(key),
    );
    return outcome;
  };
  return {
    async compile(schema, param) {
      const key = createHash("sha256").update(JSON.stringify(schema)).digest("hex");
      const outcome = await convert(schema, key);
      if (outcome.type === "refused") throw invalidSchema(outcome, param);
      return asCompiled(worker, schema, key, outcome.converted);
    },
    close: () => worker.close(),
  };
}

function createWorker({ clock, workerUrl, log }: SchemasDeps): SchemaWorker {
  return new WorkerClient({
    clock,
    name: "schemas",
    workerUrl,
    memoryMbMax,
    concurrencyMax: 1,
    waiting: {
      max: waitingMax,
      overloadedMessage: "Too many schemas are waiting to be read. Please try again later.",
    },
    callMsMax: requestMsMax,
    onAbort: "leave",
    closeMsMax: 0,
    log: (_level, message) => log(message),
  });
}

/** Converts the loss of a thread, which the schema caused, to the refusal of the schema. */
function refusedIfLost(thrown: unknown): RefusedSchema {
  if (!(thrown instanceof WorkerLostError) || thrown.reason === "start") throw thrown;
  const limit =
    thrown.reason === "timeout"
      ? `it takes longer than ${requestMsMax} ms to read`
      : "it takes too much memory";
  const message = `${limit}; use a smaller or simpler schema.`;
  return { type: "refused", message, keyword: null, pointer: "" };
}

function asCompiled(
  worker: SchemaWorker,
  schema: unknown,
  key: string,
  converted: ConvertedSchema,
): CompiledSchema {
  return {
    ...converted,
    async check(text) {
      const outcome = await worker.call({ type: "check", schema, key, text }).catch(refusedIfLost);
      if (outcome.type === "checked") return outcome.problem;
      throw invalidSchema(outcome, "response_format");
    },
  };
}

function sizeOf(outcome: ConvertOutcome): number {
  if (outcome.type !== "converted") return 1_000;
  let size = 1_000;
  for (const [name, rightSide] of outcome.converted.rules) size += name.length + rightSide.length;
  return size;
}

function invalidSchema({ message, keyword, pointer }: RefusedSchema, param: string): HearthError {
  const place = keyword === null ? "" : ` ('${keyword}' at '${pointer === "" ? "#" : `#${pointer}`}')`;
  return new HearthError("invalid_value", `Invalid schema: ${message}${place}`, {
    param,
    code: "invalid_schema",
  });
}
