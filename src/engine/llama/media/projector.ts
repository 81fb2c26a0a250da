/**
 * The projector of a loaded model, which reads images and sound for it: how media stand in its prompts, and their embeddings. It encodes one
 * part of a medium at a time; embeddings are kept for later requests of the same team.
 */
import { LRUCache } from "lru-cache";
import type { MediaReading } from "../../../core/engine.js";
import { HearthError } from "../../../core/errors.js";
import type { Medium, PromptMedium } from "../../../core/prompt/media.js";
import {
  createPlaceholders,
  type LaidOutMedium,
  type MediaLayout,
} from "../../language/prompt/media-layout.js";
import type {
  ChunksHandle,
  MediaLibrary,
  MediumChunk,
  NativeMedium,
  OpenProjector,
} from "../../native/media.js";

/** Bytes of embeddings that are kept. An image of 256 tokens of a model of 4 B parameters has 2.6 MB. */
const embeddingBytesMax = 64_000_000;

interface ProjectorParts {
  readonly library: MediaLibrary;
  readonly opened: OpenProjector;
  /** Address of the context that it reads for. */
  readonly context: bigint;
  /** Tokens that the context evaluates in one batch. */
  readonly batchTokensMax: number;
}

/** Chunks of a medium in native memory. */
interface Layout {
  readonly handle: ChunksHandle;
  readonly chunks: readonly MediumChunk[];
}

export class Projector implements MediaLayout {
  readonly #parts: ProjectorParts;
  readonly #embeddings = new LRUCache<string, Float32Array>({
    maxSize: embeddingBytesMax,
    sizeCalculation: (values) => values.byteLength,
  });
  /** The medium that was prepared last, with its data: its parts are encoded one after the other. */
  #prepared: { readonly digest: string; readonly layout: Promise<Layout> } | null = null;
  /** What encodes now. */
  #holder: object | null = null;

  constructor(parts: ProjectorParts) {
    this.#parts = parts;
  }

  get reads(): MediaReading {
    const { images, audio, sampleRate } = this.#parts.opened;
    return { images, sampleRate: audio ? sampleRate : null };
  }

  get library(): MediaLibrary {
    return this.#parts.library;
  }

  get handle(): OpenProjector["handle"] {
    return this.#parts.opened.handle;
  }

  get context(): bigint {
    return this.#parts.context;
  }

  async layOut(medium: Medium, param: string): Promise<LaidOutMedium> {
    const { batchTokensMax } = this.#parts;
    const { handle, chunks } = await this.layOutChunks(medium);
    this.library.release(handle);
    const laidOut = joinChunks(medium, chunks);
    if (laidOut.parts.some(({ isWhole, cells }) => isWhole && cells > batchTokensMax))
      throw new HearthError(
        "invalid_value",
        `${param}: the ${medium.type} takes more than ${batchTokensMax} tokens in one part, which this server does not evaluate`,
        { param },
      );
    return laidOut;
  }

  /** Lays a medium out without its data. The caller releases the chunks. */
  layOutChunks(medium: Medium): Promise<Layout> {
    return this.library.layOut(this.handle, describeMedium(medium, false));
  }

  /** Takes the projector for the encodes of one owner. @returns whether it has it now */
  hold(owner: object): boolean {
    this.#holder ??= owner;
    return this.#holder === owner;
  }

  /** Whether something else encodes. */
  isHeldFrom(owner: object): boolean {
    return this.#holder !== null && this.#holder !== owner;
  }

  letGo(owner: object): void {
    if (this.#holder === owner) this.#holder = null;
  }

  /** Prepares a medium for its encodes: resizes an image, cuts it into tiles. */
  prepare(medium: Medium): Promise<Layout> {
    if (this.#prepared?.digest === medium.digest) return this.#prepared.layout;
    this.forgetPrepared();
    const layout = this.library.layOut(this.handle, describeMedium(medium, true));
    this.#prepared = { digest: medium.digest, layout };
    layout.catch(() => this.forgetPrepared());
    return layout;
  }

  /** Frees what was prepared last. */
  forgetPrepared(): void {
    const prepared = this.#prepared;
    this.#prepared = null;
    prepared?.layout.then(
      ({ handle }) => this.library.release(handle),
      () => undefined,
    );
  }

  /** Returns embeddings that were computed for the same team. */
  findEmbeddings(teamId: string, medium: Medium, { chunk }: PromptMedium): Float32Array | null {
    return this.#embeddings.get(keyEmbeddings(teamId, medium, chunk)) ?? null;
  }

  keepEmbeddings(teamId: string, medium: Medium, { chunk }: PromptMedium, values: Float32Array): void {
    if (values.byteLength <= embeddingBytesMax)
      this.#embeddings.set(keyEmbeddings(teamId, medium, chunk), values);
  }

  /** Frees its memory. Nothing may be using it. */
  close(): void {
    this.#prepared = null;
    this.#embeddings.clear();
    this.library.close(this.handle);
  }
}

function keyEmbeddings(teamId: string, { digest }: Medium, chunk: number): string {
  return JSON.stringify([teamId, digest, chunk]);
}

function describeMedium(medium: Medium, withData: boolean): NativeMedium {
  if (medium.type === "sound") return { samples: medium.pcm.length, pcm: withData ? medium.pcm : undefined };
  const { width, height, rgb } = medium;
  return { width, height, rgb: withData ? rgb : undefined };
}

function joinChunks({ digest }: Medium, chunks: readonly MediumChunk[]): LaidOutMedium {
  const tokens: number[] = [];
  const parts: Omit<PromptMedium, "medium">[] = [];
  for (const [chunk, laidOut] of chunks.entries()) {
    if (laidOut.tokens !== undefined) {
      tokens.push(...laidOut.tokens);
      continue;
    }
    const { cells, positions, isWhole } = laidOut;
    parts.push({ start: tokens.length, positions, cells, isWhole, chunk });
    tokens.push(...createPlaceholders(digest, chunk, positions));
  }
  return { tokens, parts };
}
