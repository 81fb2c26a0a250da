/**
 * JSON Schemas made into rules, in a thread of their own with a bound on time and memory: a schema that takes too much ends
 * the thread and not the server. What was made is kept, bounded. The thread starts with the first schema; one piece of work is
 * in hand at a time, the others wait in line.
 */
import { LRUCache } from "lru-cache";
import { createHash } from "node:crypto";
import { Worker } from "node:worker_threads";
import { HearthError } from "../../core/errors.js";
import type { Clock } from "../../core/clock.js";
import type { CompiledSchema, Schemas } from "../../core/schemas.js";
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
  const thread = new SchemaThread(deps);
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

interface Waiting {
  readonly work: SchemaWork;
  readonly resolve: (outcome: SchemaOutcome) => void;
  readonly reject: (error: HearthError) => void;
}

/** The thread, started again after every piece of work that it had to be ended for. */
class SchemaThread {
  readonly #deps: SchemasDeps;
  readonly #line: Waiting[] = [];
  #worker: Worker | null = null;
  #ready = false;
  #inHand: Waiting | null = null;
  #stopTimer = (): void => undefined;

  constructor(deps: SchemasDeps) {
    this.#deps = deps;
  }

  run(work: SchemaWork): Promise<SchemaOutcome> {
    if (this.#line.length >= lineMax)
      return Promise.reject(
        new HearthError("overloaded", "Too many schemas are waiting to be read.", { retryAfterSeconds: 1 }),
      );
    return new Promise((resolve, reject) => {
      this.#line.push({ work, resolve, reject });
      this.#next();
    });
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    this.#worker = null;
    await worker?.terminate();
  }

  #next(): void {
    if (this.#inHand !== null || this.#line.length === 0) return;
    this.#worker ??= this.#start();
    if (!this.#ready) return;
    const waiting = this.#line.shift() ?? null;
    this.#inHand = waiting;
    if (waiting === null) return;
    this.#stopTimer = this.#deps.clock.after(workMsMax, () => this.#giveUp());
    this.#worker.postMessage(waiting.work);
  }

  #start(): Worker {
    const worker = new Worker(this.#deps.workerUrl, {
      resourceLimits: { maxOldGenerationSizeMb: memoryMbMax },
    });
    worker.unref();
    worker.on("message", (outcome: SchemaOutcome) => {
      if (worker !== this.#worker) return;
      if (outcome.type === "ready") this.#ready = true;
      else this.#settle((waiting) => waiting.resolve(outcome));
      this.#next();
    });
    worker.on("error", (error) => this.#deps.log(`schema thread: ${error.message}`));
    worker.on("exit", () => {
      if (worker === this.#worker) this.#lose("it takes too much memory");
    });
    return worker;
  }

  #giveUp(): void {
    const worker = this.#worker;
    this.#lose(`it takes longer than ${workMsMax} ms to read`);
    void worker?.terminate();
  }

  /** The thread is gone, or as good as gone: what it had in hand is refused, the others go on in a new one. */
  #lose(why: string): void {
    this.#worker = null;
    this.#ready = false;
    this.#settle(({ resolve }) =>
      resolve({
        type: "refused",
        message: `${why}; use a smaller or simpler schema.`,
        keyword: null,
        pointer: "",
      }),
    );
    this.#next();
  }

  #settle(answer: (waiting: Waiting) => void): void {
    this.#stopTimer();
    const waiting = this.#inHand;
    this.#inHand = null;
    if (waiting !== null) answer(waiting);
  }
}
