/** The evaluation of one part of a medium in a sequence, in steps of limited time, between which other generations have their tokens. */
import type { LlamaContextSequence, Token } from "node-llama-cpp";
import type { Medium, PromptMedium } from "../../../core/prompt/media.js";
import type { ChunksHandle } from "../../native/media.js";
import type { NativeSequence } from "../../native/native-context.js";
import type { Projector } from "./projector.js";

interface MediumStart {
  readonly teamId: string;
  readonly medium: Medium;
  readonly part: PromptMedium;
  /** The tokens that stand for it. */
  readonly placeholders: readonly Token[];
}

/** How long a step may take. */
export interface StepLimits {
  /** Milliseconds of an encode. */
  readonly ms: number;
  /** Embeddings that are evaluated. */
  readonly cellsMax: number;
}

export class MediumEvaluation {
  readonly #projector: Projector;
  readonly #sequence: NativeSequence;
  readonly #start: MediumStart;
  #embeddings: Float32Array | null;
  #encode: Promise<Float32Array> | null = null;
  /** Chunks without data: they know the positions of the embeddings. */
  #chunks: ChunksHandle | null = null;
  #evaluated = 0;
  #isComplete = false;

  constructor(projector: Projector, sequence: LlamaContextSequence, start: MediumStart) {
    this.#projector = projector;
    this.#sequence = sequence as unknown as NativeSequence;
    this.#start = start;
    this.#embeddings = projector.findEmbeddings(start.teamId, start.medium, start.part);
  }

  /** Whether it has to wait until another evaluation has encoded. */
  get mustWait(): boolean {
    return this.#embeddings === null && this.#projector.isHeldFrom(this);
  }

  /** Encodes or evaluates for one step; no other call may use the context meanwhile. @returns whether the sequence has the part */
  async step(limits: StepLimits): Promise<boolean> {
    if (this.#embeddings === null) {
      await this.#encodeFor(limits.ms);
      return false;
    }
    await this.#evaluate(this.#embeddings, limits.cellsMax);
    return this.#isComplete;
  }

  /** Ends the work, and removes what the sequence has of an unfinished part. */
  async cancel(): Promise<void> {
    if (this.#encode !== null) {
      this.#projector.library.abortEncode(this.#projector.handle);
      await this.#encode.catch(() => undefined);
    }
    this.#end();
    if (this.#evaluated === 0 || this.#isComplete) return;
    const { context, _sequenceId: id, _nextTokenIndex: next } = this.#sequence;
    context._ctx.removeTokenCellsFromSequence(id, next, -1);
  }

  async #encodeFor(ms: number): Promise<void> {
    const { teamId, medium, part } = this.#start;
    if (!this.#projector.hold(this)) return;
    if (this.#encode === null) {
      const { handle } = await this.#projector.prepare(medium);
      this.#encode = this.#projector.library.encode(this.#projector.handle, handle, part.chunk);
      // It is awaited when a step finds that it has ended.
      this.#encode.catch(() => undefined);
    }
    if (!(await this.#projector.library.grant(this.#projector.handle, ms))) return;
    this.#embeddings = await this.#encode;
    this.#projector.keepEmbeddings(teamId, medium, part, this.#embeddings);
    this.#encode = null;
    this.#projector.letGo(this);
  }

  async #evaluate(embeddings: Float32Array, cellsMax: number): Promise<void> {
    const { medium, part, placeholders } = this.#start;
    const { library, handle, context } = this.#projector;
    this.#chunks ??= (await this.#projector.layOutChunks(medium)).handle;
    const left = part.cells - this.#evaluated;
    const count = part.isWhole ? left : Math.min(left, cellsMax);
    const { _nextTokenIndex: position, _sequenceId: id } = this.#sequence;
    const from = this.#evaluated;
    // Cells that a failed batch leaves are removed, too.
    this.#evaluated = from + count;
    await library.decode(context, handle, this.#chunks, part.chunk, embeddings, from, count, position, id);
    if (this.#evaluated < part.cells) return;
    this.#sequence._contextTokens.push(...placeholders);
    this.#sequence._nextTokenIndex += placeholders.length;
    this.#isComplete = true;
    this.#end();
  }

  #end(): void {
    if (this.#chunks !== null) this.#projector.library.release(this.#chunks);
    this.#chunks = null;
    this.#encode = null;
    this.#projector.letGo(this);
  }
}
