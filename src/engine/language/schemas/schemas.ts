/**
 * Compiles JSON Schemas to grammar rules in a worker thread, and checks finished answers in another one, so that no answer waits for the
 * conversion of a schema. In both the teams take turns. A conversion has a limit of steps (grammar/work.ts); the limits of time and
 * memory are for faults only: they end the thread and not the server. Compiled schemas are cached.
 */
import { LRUCache } from "lru-cache";
import { createHash } from "node:crypto";
import { HearthError } from "../../../core/errors.js";
import type { Clock } from "../../../core/clock.js";
import type { CompiledSchema, SchemaOrigin, Schemas } from "../../../core/schemas.js";
import { WorkerLostError } from "../../worker/client-options.js";
import { WorkerClient } from "../../worker/client.js";
import { FairQueue } from "../../worker/fair-queue.js";
import {
  describePlace,
  type ConvertOutcome,
  type RefusedSchema,
  type SchemaReplies,
  type SchemaRequest,
  type WrittenSchema,
} from "./protocol.js";

interface SchemasDeps {
  readonly clock: Clock;
  /** Whether objects without `additionalProperties` allow no further properties, as the hosted service does. */
  readonly closed: boolean;
  /** Compiled worker.js; tests that run from the sources pass the compiled one, too. */
  readonly workerUrl: URL;
  readonly log: (message: string) => void;
  /** Time limit of one request in a thread; default 30 s. */
  readonly requestMsMax?: number;
  /** Replaces the threads, for tests. */
  readonly startWorker?: (name: SchemaWorkerName) => SchemaWorker;
}

/** The thread that converts schemas, and the one that checks answers. */
type SchemaWorkerName = "schemas" | "answer checks";
export type SchemaWorker = Pick<WorkerClient<SchemaRequest, SchemaReplies>, "call" | "close">;

/** Time limit of one request in a thread; the limit of steps is reached long before, unless the machine is far too busy. */
const defaultRequestMsMax = 30_000;
const memoryMbMax = 256;
const compiledMax = 500;
const compiledBytesMax = 64_000_000;
/** Requests to one thread that may wait, of all teams and of one. */
const waitingMax = 1_000;
const teamWaitingMax = 200;

/** Creates the service; its threads start with the first schema and the first answer. */
export function createSchemas(deps: SchemasDeps): Schemas {
  const conversions = createLane(deps, "schemas");
  const checks = createLane(deps, "answer checks");
  const compiled = new LRUCache<string, { readonly outcome: Promise<ConvertOutcome> }>({ max: compiledMax });
  const sizes = new LRUCache<string, true>({
    maxSize: compiledBytesMax,
    dispose: (_, key) => void compiled.delete(key),
  });
  /** Each team that asks for a schema has a turn of its own; the first turn converts it for all. */
  const convert = (source: WrittenSchema, key: string, teamId: string): Promise<ConvertOutcome> => {
    const known = compiled.get(key);
    if (known !== undefined) return known.outcome;
    return conversions.queue.run(teamId, () => {
      const started = compiled.get(key);
      if (started !== undefined) return started.outcome;
      const prefix = `s${key.slice(0, 12)}-`;
      const outcome = conversions.worker.call({ type: "convert", ...source, prefix, closed: deps.closed });
      compiled.set(key, { outcome });
      outcome.then(
        (result) => void sizes.set(key, true, { size: estimateSize(result) }),
        () => compiled.delete(key),
      );
      return outcome;
    });
  };
  const compile = async (source: WrittenSchema, { param, teamId }: SchemaOrigin): Promise<CompiledSchema> => {
    const { language, written } = source;
    const key = createHash("sha256").update(`${language} ${written}`).digest("hex");
    const outcome = await convert(source, key, teamId).catch(orError(param));
    if (outcome.type === "refused") throw invalidSchema(language, outcome, param);
    return {
      ...outcome.converted,
      async check(text) {
        const checked = await checks.queue
          .run(teamId, () => checks.worker.call({ type: "check", ...source, key, text }))
          .catch(orError(param));
        if (checked.type === "checked") return checked.problem;
        throw invalidSchema(language, checked, param);
      },
    };
  };
  return {
    compile: (schema, from) =>
      compile({ language: "schema", written: from.text ?? JSON.stringify(schema) }, from),
    readGrammar: (syntax, grammar, from) => compile({ language: syntax, written: grammar }, from),
    close: async () => void (await Promise.all([conversions.worker.close(), checks.worker.close()])),
  };
}

/** A thread and the queue of its requests. */
interface Lane {
  readonly worker: SchemaWorker;
  readonly queue: FairQueue;
}

function createLane(deps: SchemasDeps, name: SchemaWorkerName): Lane {
  const overloadedMessage = "Too many schemas are waiting to be read. Please try again later.";
  return {
    worker: deps.startWorker?.(name) ?? createWorker(deps, name),
    queue: new FairQueue({ teamWaitingMax, waitingMax, overloadedMessage }),
  };
}

function createWorker(deps: SchemasDeps, name: SchemaWorkerName): SchemaWorker {
  const { clock, workerUrl, log, requestMsMax = defaultRequestMsMax } = deps;
  return new WorkerClient<SchemaRequest, SchemaReplies>({
    clock,
    name,
    workerUrl,
    memoryMbMax,
    concurrencyMax: 1,
    callMsMax: requestMsMax,
    onAbort: "leave",
    closeMsMax: 0,
    log: (_level, message) => log(message),
  });
}

/**
 * Returns what converts the loss of a thread to the client's error. It is not cached: a thread that ran out of time says more about the
 * machine than about the schema.
 */
function orError(param: string): (thrown: unknown) => never {
  return (thrown) => {
    if (!(thrown instanceof WorkerLostError) || thrown.reason === "start") throw thrown;
    if (thrown.reason === "timeout")
      throw new HearthError("overloaded", `${param}: the server is too busy to read the schema now.`, {
        retryAfterSeconds: 5,
        cause: thrown,
      });
    const message = "it takes too much memory; use a smaller or simpler schema.";
    throw invalidSchema("schema", { type: "refused", message, keyword: null, pointer: "" }, param);
  };
}

function estimateSize(outcome: ConvertOutcome): number {
  if (outcome.type !== "converted") return 1_000;
  let size = 1_000;
  for (const [name, rightSide] of outcome.converted.rules) size += name.length + rightSide.length;
  return size;
}

const languageNames: Readonly<Record<WrittenSchema["language"], string>> = {
  schema: "schema",
  gbnf: "grammar",
  regex: "regular expression",
};

function invalidSchema(
  language: WrittenSchema["language"],
  { message, keyword, pointer }: RefusedSchema,
  param: string,
): HearthError {
  const place = keyword === null ? "" : ` (${describePlace(keyword, pointer)})`;
  return new HearthError("invalid_value", `Invalid ${languageNames[language]}: ${message}${place}`, {
    param,
    code: "invalid_schema",
  });
}
