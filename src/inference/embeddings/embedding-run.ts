/** A run that evaluates inputs, each to one vector: of an embedding model, or of one number by a rerank model. */
import type { EmbeddingEngine, LoadedEmbeddingModel } from "../../core/embeddings/engine.js";
import type { InputSource } from "../../core/embeddings/request.js";
import type { Model } from "../../core/model.js";
import { readCharge, type Ticks } from "../../core/money.js";
import type { RequestLabels } from "../../core/requests/labels.js";
import type { RunOperation } from "../../core/telemetry/run-operation.js";
import { noUsage } from "../../core/usage.js";
import type { Write } from "../../store/writes.js";
import { readInputs, type RunContent } from "../content/messages.js";
import { Run } from "../run/run.js";
import type { RunContext, RunServices } from "../run/run-context.js";
import type { RunEnd } from "../run/run-record.js";

/** What runs that evaluate inputs are built over. */
export interface EmbeddingServices extends RunServices {
  readonly embeddingEngine: EmbeddingEngine;
  /** The engine's `load`, measured. */
  readonly load: (model: Model, signal: AbortSignal) => Promise<LoadedEmbeddingModel>;
}

/** What a run has evaluated. */
export interface Evaluated {
  readonly model: Model;
  /** One for each input, of length 1 where they are the answer. */
  readonly vectors: readonly Float32Array[];
  /** Tokens that the model read, its marks included. */
  readonly promptTokens: number;
  /** Milliseconds it waited for the model to be in memory. */
  readonly loadMs: number;
  readonly costTicks: Ticks;
}

/** What is evaluated, and what comes of it. */
export interface Evaluation {
  /** The model's name in the request. */
  readonly model: string;
  readonly labels?: RequestLabels;
  readonly source: InputSource;
  /** @throws HearthError when the loaded model cannot do what is requested. */
  readonly check: (loaded: LoadedEmbeddingModel) => void;
  /** @param evaluated null when the run failed or was aborted. @returns see `Run.writes` */
  readonly writes: (end: RunEnd, evaluated: Evaluated | null) => readonly Write[] | null;
}

/** Tokens that are evaluated in one call of the engine, at least one input. What is charged of an aborted run is whole calls. */
const tokensPerCall = 512;

export class EmbeddingRun extends Run {
  readonly operation: RunOperation;
  readonly parameters = {};
  readonly #services: EmbeddingServices;
  readonly #evaluation: Evaluation;
  readonly #vectors: Float32Array[] = [];
  #loadMs = 0;
  #isComplete = false;
  #promptTokens = 0;
  #chargedTicks: Ticks = 0;

  constructor(services: EmbeddingServices, model: Model, evaluation: Evaluation, context: RunContext) {
    super(services, model, evaluation, context);
    this.#services = services;
    this.#evaluation = evaluation;
    this.operation = evaluation.source.type === "inputs" ? "embeddings" : "rerank";
  }

  /** Does the work of the run. */
  async evaluate(): Promise<void> {
    try {
      await this.#evaluateAll();
    } catch (thrown) {
      // A client that gets an error gets no vectors.
      if (!this.signal.aborted) this.money.count(() => noUsage);
      throw thrown;
    }
  }

  isComplete(): boolean {
    return this.#isComplete;
  }

  protected content(): RunContent {
    return { input: readInputs(this.#evaluation.source), output: [] };
  }

  protected writes(end: RunEnd): readonly Write[] | null {
    if (end.state !== "completed") return this.#evaluation.writes(end, null);
    return this.#evaluation.writes(end, this.#toEvaluated(readCharge(end.usage, this.model.manifest.prices)));
  }

  protected override ended({ usage }: RunEnd): void {
    this.#promptTokens = usage.promptTokens;
    this.#chargedTicks = usage.chargedTicks ?? 0;
  }

  /** What a run that has ended has evaluated. @throws its failure, or the reason for which it was aborted. */
  result(): Evaluated {
    if (this.failure !== null) throw this.failure;
    if (!this.#isComplete) throw this.signal.reason;
    return this.#toEvaluated(this.#chargedTicks);
  }

  #toEvaluated(costTicks: Ticks): Evaluated {
    return {
      model: this.model,
      vectors: this.#vectors,
      promptTokens: this.#promptTokens,
      loadMs: this.#loadMs,
      costTicks,
    };
  }

  async #evaluateAll(): Promise<void> {
    const { model, signal, money } = this;
    const { clock, embeddingEngine: engine, load } = this.#services;
    const began = clock.monotonic();
    const loaded = await this.load(load(model, signal));
    this.#loadMs = clock.monotonic() - began;
    this.#evaluation.check(loaded);
    const inputs = await engine.tokenizeInputs(model, this.#evaluation.source, signal);
    const promptTokens = countTokens(inputs);
    await money.prepare({ promptTokens, bound: { prompt: promptTokens, sampled: 0 } });
    await this.withSlot(loaded, promptTokens, async (slot) => {
      // Nothing is evaluated that is not reserved.
      await money.record();
      for (const call of splitCalls(inputs)) {
        this.#vectors.push(...(await engine.embed(model, call, signal)));
        slot.tokensServed += countTokens(call);
        this.#promptTokens = slot.tokensServed;
        money.count(() => ({ ...noUsage, promptTokens: slot.tokensServed }));
      }
    });
    this.#isComplete = true;
  }
}

/** Splits inputs into the calls of the engine. */
function* splitCalls(inputs: readonly Uint32Array[]): Generator<readonly Uint32Array[], void, undefined> {
  let call: Uint32Array[] = [];
  for (const input of inputs) {
    if (call.length > 0 && countTokens(call) + input.length > tokensPerCall) {
      yield call;
      call = [];
    }
    call.push(input);
  }
  if (call.length > 0) yield call;
}

function countTokens(inputs: readonly Uint32Array[]): number {
  return inputs.reduce((sum, input) => sum + input.length, 0);
}
