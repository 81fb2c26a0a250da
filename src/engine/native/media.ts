/** Images and sound in prompts of a text model (media.cpp): the functions of the compiled library. */
import type { EngineHooks } from "./engine-hooks.js";
import { loadNativeLibrary, type NativeLibrary } from "./native-library.js";

declare const projectorBrand: unique symbol;
declare const chunksBrand: unique symbol;

/** An open projector. */
export interface ProjectorHandle {
  readonly [projectorBrand]: never;
}

/** The chunks of a medium. */
export interface ChunksHandle {
  readonly [chunksBrand]: never;
}

/** A medium that was decoded: pixels, or samples at the projector's rate. Without its data, it can be laid out and not encoded. */
export type NativeMedium =
  | { readonly width: number; readonly height: number; readonly rgb?: Uint8Array | undefined }
  | { readonly samples: number; readonly pcm?: Float32Array | undefined };

/** Tokens of the model's own marks, or embeddings. */
export type MediumChunk = { readonly tokens: Uint32Array } | EmbeddedChunk;

export interface EmbeddedChunk {
  readonly tokens?: undefined;
  /** Embeddings, each of which takes a cell of the KV cache. */
  readonly cells: number;
  /** Positions that they take in the sequence: fewer where a position has several dimensions. */
  readonly positions: number;
  /** Whether each sees all of the others, so that they are evaluated in one batch. */
  readonly isWhole: boolean;
}

/** How a projector is opened. */
interface ProjectorOptions {
  readonly threads: number;
  /** 1: on the GPU. */
  readonly gpu: 0 | 1;
  /** Most embeddings of an image, for models that can choose; 0: the model's own bound. */
  readonly imageTokensMax: number;
}

export interface OpenProjector {
  readonly handle: ProjectorHandle;
  readonly images: boolean;
  readonly audio: boolean;
  /** The rate of the sound that it reads, in Hz; -1: it reads none. */
  readonly sampleRate: number;
}

/** Each promise rejects with an error that says why. A context is named by its address (`EngineHooks`). */
export interface MediaLibrary {
  open(context: bigint, file: string, options: ProjectorOptions): Promise<OpenProjector>;
  /** Frees the memory of a projector that no call uses. */
  close(projector: ProjectorHandle): void;
  /** Reads what a file is and how much memory it takes, without a text model. */
  inspect(
    file: string,
  ): Promise<{ readonly images: boolean; readonly audio: boolean; readonly bytes: number }>;
  layOut(
    projector: ProjectorHandle,
    medium: NativeMedium,
  ): Promise<{ readonly handle: ChunksHandle; readonly chunks: readonly MediumChunk[] }>;
  /** Frees the memory of chunks that no later call has. */
  release(chunks: ChunksHandle): void;
  /**
   * Computes the embeddings of a chunk of a medium that has its data; only while `grant` is called. A projector encodes one chunk at a
   * time.
   */
  encode(projector: ProjectorHandle, chunks: ChunksHandle, index: number): Promise<Float32Array>;
  /** Lets the encode compute one part of about `ms`. @returns whether it has ended, well or not */
  grant(projector: ProjectorHandle, ms: number): Promise<boolean>;
  /** Ends the encode at its next part: its promise rejects. */
  abortEncode(projector: ProjectorHandle): void;
  /** Evaluates embeddings of a chunk in a sequence of a context that nothing else uses. */
  decode(
    context: bigint,
    projector: ProjectorHandle,
    chunks: ChunksHandle,
    index: number,
    embeddings: Float32Array,
    from: number,
    count: number,
    position: number,
    sequence: number,
  ): Promise<boolean>;
}

/** Loads the library, after the engine's own, whose functions it uses. */
export function openMediaLibrary(folder: string | null, hooks: EngineHooks): NativeLibrary<MediaLibrary> {
  hooks.shareEngine();
  return loadNativeLibrary<MediaLibrary>({ folder, file: "media", exported: "layOut" });
}
