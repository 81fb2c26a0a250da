/** What runs are built over, and who requested them. Types only. */
import type { BudgetGuard } from "../../accounts/budgets/guard.js";
import type { LedgerStore } from "../../accounts/money/store/ledger.js";
import type { SecretFilter } from "../../accounts/credentials/secret.js";
import type { Principal } from "../../accounts/principals/api-key.js";
import type { Channel } from "../../core/channel.js";
import type { Clock } from "../../core/clock.js";
import type { Engine, LoadedModel } from "../../core/engine.js";
import type { TokenReservation } from "../../core/limits.js";
import type { Metrics } from "../../core/metrics.js";
import type { CompleteRequest, Model, ModelRegistry } from "../../core/model.js";
import type { Random } from "../../core/random.js";
import type { ChoiceEnd, RunEvent } from "../../core/run-event.js";
import type { Schemas } from "../../core/schemas.js";
import type { Tracing } from "../../core/telemetry/tracing.js";
import type { ServerCallResult } from "../../core/tools/server-call.js";
import type { ToolCall } from "../../core/generation.js";
import type { Usage } from "../../core/usage.js";
import type { Slots, WorkClass } from "../../core/slots.js";
import type { Captioning } from "../prompt/captioning.js";
import type { RequestBodies } from "../requests/bodies/request-bodies.js";
import type { LiveRuns } from "../requests/live-runs.js";
import type { AnswerContent } from "../content/answer-content.js";
import type { RunRecorder } from "./recorder.js";
import type { SettleRetries } from "./settle-retries.js";
import type { RunStore } from "./store/runs.js";
import type { Stopwatch } from "./timings.js";

export interface RunContext {
  readonly principal: Principal;
  readonly requestId: string;
  /** The id of the run, which its answer has, too; absent: a new one. */
  readonly runId?: string;
  /** The route, as the usage table records it. */
  readonly endpoint: string;
  /** Whether the client reads the answer as a stream; absent: it does not. */
  readonly streamed?: boolean;
  /** The scheduler's class of the work; absent: interactive. */
  readonly workClass?: WorkClass;
  /** What the run is charged, in percent of the model's prices; absent: 100. */
  readonly pricePercent?: number;
  /** Stores something of the events together with the run's end. */
  readonly recorder?: RunRecorder;
  /** How long the model stays in memory unused from then on; absent: as before. */
  readonly keepAliveMs?: number | undefined;
  /** Reconciled once with the usage of the run; absent: no limit counts it. */
  readonly tokenReservation?: TokenReservation;
  /** Those of the request's tools whose calls the server executes within the answer; absent: none. */
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
  /** The run whose model made the call. What the call runs is done in the same name, and charged at the same rate. */
  readonly caller: Pick<RunContext, "principal" | "requestId" | "endpoint" | "workClass" | "pricePercent">;
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
  /** JSON text of what its client says of it; absent or null: nothing, or nothing that may be stored. */
  readonly labels?: string | null;
}

/** What runs of every kind are executed over. */
export interface ExecutorDeps {
  readonly runs: Pick<RunStore, "insert" | "enlarge" | "finish" | "finishUnrecorded">;
  readonly ledger: Pick<LedgerStore, "spendable" | "posting">;
  readonly budgets: BudgetGuard;
  readonly slots: Slots;
  /** Keys that a client has put into a label are not stored. */
  readonly withoutSecrets: SecretFilter;
  readonly metrics: Metrics;
  readonly tracing: Tracing;
  /** Keeps what runs read and write, for teams that want it. */
  readonly bodies: RequestBodies;
  readonly clock: Clock;
  /** Shared by runs of all kinds. */
  readonly liveRuns: LiveRuns;
  /** Runs that may be active at a time, whatever they wait for. */
  readonly runsActiveMax: number;
  /** Called once for a run whose end could not be written; the write is retried. */
  readonly onSettleFailure: (runId: string, thrown: unknown) => void;
}

/** What runs are recorded and settled over. */
export interface BillingDeps extends Pick<
  ExecutorDeps,
  "runs" | "ledger" | "budgets" | "clock" | "onSettleFailure"
> {
  readonly settleRetries: SettleRetries;
}

/** What texts are generated over. */
export interface GeneratorDeps extends ExecutorDeps {
  readonly models: ModelRegistry;
  readonly engine: Engine;
  readonly schemas: Schemas;
  /** Replaces images by descriptions. */
  readonly captioning: Captioning;
  /** Tokens after which reasoning is ended where neither the request nor the model says when. */
  readonly reasoningTokensMax: number;
  readonly random: Random;
}

/** The same, with the engine's `load` measured. */
export interface RunDeps extends GeneratorDeps {
  readonly load: (model: Model, signal: AbortSignal) => Promise<LoadedModel>;
}

/** A run that generates text. */
export interface TextRun extends BillableRun {
  readonly request: CompleteRequest;
  /** Sentences about what is not applied of the request; complete before the first event. */
  readonly warnings: string[];
  readonly channel: Channel<RunEvent>;
  /** Gives an event to the recorder and the reader. @throws HearthError when the reader is too far behind. */
  readonly emit: (event: RunEvent) => void;
  readonly timings: Stopwatch;
  /** With what the run is charged; null until it is settled. */
  finalUsage: Usage | null;
  /** Ends of the choices that have ended, in that order. */
  readonly ends: ChoiceEnd[];
  /** Collects what the run writes; null: nobody may see it. */
  readonly answer: AnswerContent | null;
}
