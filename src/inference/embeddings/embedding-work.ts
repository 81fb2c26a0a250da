import type { Clock } from "../../core/clock.js";
import type { EmbeddingEngine, LoadedEmbeddingModel } from "../../core/embeddings/engine.js";
import type { InputSource } from "../../core/embeddings/request.js";
import type { Model } from "../../core/model.js";
import { readCharge, type Ticks } from "../../core/money.js";
import type { RunOperation } from "../../core/telemetry/run-operation.js";
import { noUsage } from "../../core/usage.js";
import type { Write } from "../../store/writes.js";
import { readInputs, type RunContent } from "../content/messages.js";
import type { RunWork } from "../run/execute.js";
import type { Execution } from "../run/execution.js";
import type { RunEnd } from "../run/recorder.js";

export interface EmbeddingWorkDeps {
  readonly engine: EmbeddingEngine;
  readonly clock: Clock;
  readonly load: (model: Model, signal: AbortSignal) => Promise<LoadedEmbeddingModel>;
  /** @throws HearthError when the model cannot do what is requested. */
  readonly check: (loaded: LoadedEmbeddingModel) => void;
  /** @param work what was evaluated; null when the run failed or was aborted. */
  readonly writes: (end: RunEnd, work: EmbeddingResult | null) => readonly Write[] | null;
}

/** What a run that is complete has evaluated. */
export interface EmbeddingResult {
  readonly vectors: readonly Float32Array[];
  readonly promptTokens: number;
  /** Milliseconds it waited for the model to be in memory. */
  readonly loadMs: number;
  readonly costTicks: Ticks;
}

/** Tokens that are evaluated in one call of the engine, at least one input. What is charged of an aborted run is whole calls. */
const tokensPerCall = 512;

/** The work of a run that evaluates inputs, each to one vector. */
export class EmbeddingWork implements RunWork {
  readonly operation: RunOperation;
  readonly parameters = {};
  readonly timings = { ttftMs: null, decodeTps: null };
  readonly #deps: EmbeddingWorkDeps;
  readonly #model: Model;
  readonly #source: InputSource;
  readonly #vectors: Float32Array[] = [];
  #loadMs = 0;
  #isComplete = false;
  #promptTokens = 0;
  #ended: Execution | null = null;

  constructor(deps: EmbeddingWorkDeps, model: Model, source: InputSource) {
    this.#deps = deps;
    this.#model = model;
    this.#source = source;
    this.operation = source.type === "inputs" ? "embeddings" : "rerank";
  }

  async produce(execution: Execution): Promise<void> {
    try {
      await this.#evaluate(execution);
    } catch (thrown) {
      // A client that gets an error gets no vectors.
      if (!execution.signal.aborted) execution.count(() => noUsage);
      throw thrown;
    }
  }

  isComplete(): boolean {
    return this.#isComplete;
  }

  content(): RunContent {
    return { input: readInputs(this.#source), output: [] };
  }

  writes(end: RunEnd): readonly Write[] | null {
    if (end.state !== "completed") return this.#deps.writes(end, null);
    const costTicks = readCharge(end.usage, this.#model.manifest.prices);
    return this.#deps.writes(end, {
      vectors: this.#vectors,
      promptTokens: this.#promptTokens,
      loadMs: this.#loadMs,
      costTicks,
    });
  }

  ended(_end: RunEnd, execution: Execution): void {
    this.#ended = execution;
  }

  /** What a run that has ended has evaluated. @throws its failure, or the reason for which it was aborted. */
  result(): EmbeddingResult {
    if (this.#ended === null) throw new Error("the run has not ended");
    const { failure, signal, chargedTicks, usage } = this.#ended;
    if (failure !== null) throw failure;
    if (!this.#isComplete) throw signal.reason;
    const { promptTokens } = usage;
    return {
      vectors: this.#vectors,
      promptTokens,
      loadMs: this.#loadMs,
      costTicks: chargedTicks ?? 0,
    };
  }

  async #evaluate(execution: Execution): Promise<void> {
    const { signal } = execution;
    const began = this.#deps.clock.monotonic();
    const loaded = await execution.load(this.#deps.load(this.#model, signal));
    this.#loadMs = this.#deps.clock.monotonic() - began;
    this.#deps.check(loaded);
    const inputs = await this.#deps.engine.tokenizeInputs(this.#model, this.#source, signal);
    const promptTokens = tokensIn(inputs);
    const record = await execution.prepareRecord({
      promptTokens,
      bound: { prompt: promptTokens, sampled: 0 },
    });
    await execution.withSlot({ loaded, tokensExpected: promptTokens }, async (slot) => {
      // Nothing is evaluated that is not reserved.
      await record();
      for (const call of callsOf(inputs)) {
        this.#vectors.push(...(await this.#deps.engine.embed(this.#model, call, signal)));
        slot.tokensServed += tokensIn(call);
        this.#promptTokens = slot.tokensServed;
        execution.count(() => ({ ...noUsage, promptTokens: slot.tokensServed }));
      }
    });
    this.#isComplete = true;
  }
}

/** Splits inputs into the calls of the engine. */
function* callsOf(inputs: readonly Uint32Array[]): Generator<readonly Uint32Array[], void, undefined> {
  let call: Uint32Array[] = [];
  for (const input of inputs) {
    if (call.length > 0 && tokensIn(call) + input.length > tokensPerCall) {
      yield call;
      call = [];
    }
    call.push(input);
  }
  if (call.length > 0) yield call;
}

function tokensIn(inputs: readonly Uint32Array[]): number {
  return inputs.reduce((sum, input) => sum + input.length, 0);
}
