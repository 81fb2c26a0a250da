/**
 * What a run is made of while it lives: its ports, its request, and what it has come to so far. Data alone.
 */
import type { Principal } from "../../accounts/keys/api-key.js";
import type { Channel } from "../../core/channel.js";
import type { Clock } from "../../core/clock.js";
import type { Engine, LoadedModel } from "../../core/engine.js";
import type { HearthError } from "../../core/errors.js";
import type { GenerationEnd, GenerationEvent, GenerationRequest } from "../../core/generation.js";
import type { Admission } from "../../core/limits.js";
import type { Metrics } from "../../core/metrics.js";
import type { LedgerStore } from "../../accounts/money/ledger.js";
import type { Model, ModelRegistry } from "../../core/model.js";
import type { Ticks } from "../../core/money.js";
import type { Random } from "../../core/random.js";
import type { RunStore } from "./run-record.js";
import type { Schemas } from "../../core/schemas.js";
import type { Slots, WorkClass } from "../../core/slots.js";
import type { Usage } from "../../core/usage.js";
import type { Grounding } from "../prompt/captioning.js";
import type { Keeper } from "./recorder.js";
import type { Settling } from "./settle-retries.js";
import type { Stopwatch } from "./timings.js";

export interface RunContext {
  readonly principal: Principal;
  readonly requestId: string;
  /** The route, as the usage row records it. */
  readonly endpoint: string;
  /** What kind of work it is to the scheduler; absent: interactive. */
  readonly workClass?: WorkClass;
  /** Makes something of the events that outlives the run. */
  readonly keeper?: Keeper;
  /** Told, once, what the run has truly taken; absent: nobody counts it. */
  readonly admission?: Admission;
}

export interface GenerateDeps {
  readonly models: ModelRegistry;
  readonly engine: Engine;
  readonly schemas: Schemas;
  /** Puts words in the places of images. */
  readonly grounding: Grounding;
  readonly slots: Slots;
  readonly runs: RunStore;
  readonly ledger: Pick<LedgerStore, "spendable" | "posting">;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly random: Random;
  /** Runs that may exist at a time, whatever they wait for. */
  readonly runsActiveMax: number;
  /** Told, once for each run, of a failure to write how it ended; the client has its answer, and it is tried again. */
  readonly onSettleFailure: (runId: string, thrown: unknown) => void;
}

/** What a run is driven over. */
export interface Street extends GenerateDeps {
  readonly load: (model: Model) => Promise<LoadedModel>;
  readonly settling: Settling;
}

/** What a run is recorded, charged and settled over, whatever it makes. */
export type Books = Pick<Street, "runs" | "ledger" | "clock" | "settling" | "onSettleFailure">;

/** Whose run it is, of which model. */
export type Booked = Pick<Task, "id" | "model" | "askedModel" | "context">;

export interface Task {
  readonly id: string;
  readonly model: Model;
  /** Its name as it was asked for: an alias, or its id. */
  readonly askedModel: string;
  readonly request: GenerationRequest;
  readonly context: RunContext;
  readonly channel: Channel<GenerationEvent>;
  /** Tells the keeper and the reader. @throws HearthError where the reader is too far behind. */
  readonly emit: (event: GenerationEvent) => void;
  readonly timings: Stopwatch;
  readonly signal: AbortSignal;
  readonly abort: () => void;
}

/** What a run has come to so far. */
export interface Progress {
  loaded: LoadedModel | null;
  usage: Usage;
  /** What the usage table has to settle; null while it has no row. */
  recorded: { readonly reservedTicks: Ticks | null } | null;
  ends: GenerationEnd[];
  failure: HearthError | null;
}
