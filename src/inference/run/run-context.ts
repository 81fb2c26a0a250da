/** Who requested a run, what it may do in their name, and what runs of every kind are built over. */
import type { BudgetGuard } from "../../accounts/budgets/guard.js";
import type { SecretFilter } from "../../accounts/credentials/secret.js";
import type { LedgerStore } from "../../accounts/money/store/ledger.js";
import type { Principal } from "../../accounts/principals/api-key.js";
import type { Clock } from "../../core/clock.js";
import type { ToolCall } from "../../core/generation.js";
import type { TokenReservation } from "../../core/limits.js";
import type { Metrics } from "../../core/metrics.js";
import type { Model, ModelRegistry } from "../../core/model.js";
import type { Random } from "../../core/random.js";
import type { Slots, WorkClass } from "../../core/slots.js";
import type { Tracing } from "../../core/telemetry/tracing.js";
import type { ServerCallResult } from "../../core/tools/server-call.js";
import type { RequestBodies } from "../bodies/request-bodies.js";
import type { RunRecorder } from "./run-record.js";
import type { RunStore } from "./store/runs.js";

/** In whose name a run is done, and at what rate it is charged. */
interface Caller {
  readonly principal: Principal;
  readonly requestId: string;
  /** The route, as the usage table records it. */
  readonly endpoint: string;
  /** The scheduler's class of the work; absent: interactive. */
  readonly workClass?: WorkClass;
  /** What the run is charged, in percent of the model's prices; absent: 100. */
  readonly pricePercent?: number;
}

export interface RunContext extends Caller {
  /** The id of the run, which its answer has, too; absent: a new one. */
  readonly runId?: string;
  /** Whether the client reads the answer as a stream; absent: it does not. */
  readonly streamed?: boolean;
  /** Stores something of the events together with the run's end. */
  readonly recorder?: RunRecorder;
  /** How long the model stays in memory unused from then on; absent: as before. */
  readonly keepAliveMs?: number;
  /** Reconciled once with the usage of the run; absent: no limit counts it. */
  readonly tokenReservation?: TokenReservation;
  /** The tools of the request whose calls the server executes within the answer; absent: none. */
  readonly serverTools?: readonly ServerTool[];
  /** Calls that the user has allowed: they are executed before the first turn of the model, which reads their results; absent: none. */
  readonly allowedCalls?: readonly AllowedCall[];
}

/** A call of an earlier answer that the user has allowed. Its tool need not be one that the model may call now. */
export interface AllowedCall extends Omit<ToolCall, "name"> {
  readonly tool: ServerTool;
}

/** One call of a tool that the server executes. */
export interface ServerCall {
  readonly id: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** The same as JSON text, which keeps numbers that the value does not. */
  readonly argumentsText: string;
  /** Who requested the run whose model made the call. */
  readonly caller: Caller;
  /** Aborts when the client leaves, the server closes, or the call takes too long. */
  readonly signal: AbortSignal;
}

/** A tool whose calls the server executes. To the model it is a function like any other, and a tool of the request. */
export interface ServerTool {
  /** The name by which the model calls it. */
  readonly name: string;
  /** Executes a call. What it throws becomes a failed result, which the model reads: HearthErrors with their message. */
  run(call: ServerCall): Promise<ServerCallResult>;
}

/** A run as the usage table and the ledger see it. */
export interface BillableRun {
  readonly id: string;
  readonly model: Model;
  /** The model's name in the request: an alias, or its id. */
  readonly requestedModel: string;
  readonly context: RunContext;
  /** JSON text of what its client says of it; null: nothing, or nothing that may be stored. */
  readonly labels: string | null;
  /** When its request was accepted: milliseconds since the epoch. */
  readonly createTime: number;
}

/** What runs of every kind are built over. */
export interface RunServices {
  readonly models: ModelRegistry;
  readonly slots: Slots;
  readonly runs: RunStore;
  readonly ledger: LedgerStore;
  readonly budgets: BudgetGuard;
  /** Keys that a client has put into a label are not stored. */
  readonly withoutSecrets: SecretFilter;
  readonly metrics: Metrics;
  readonly tracing: Tracing;
  /** Keeps what runs read and write, for teams that want it. */
  readonly bodies: RequestBodies;
  readonly clock: Clock;
  readonly random: Random;
  /** Called once for a run whose end could not be written; the write is retried. */
  readonly onSettleFailure: (runId: string, thrown: unknown) => void;
}
