/**
 * Drawing: what is asked of a model that makes images, what comes of it, and the port to whatever runs one.
 */
import type { ResidentModel } from "./engine.js";
import type { Model } from "./model.js";

export type ImageFormat = "png" | "jpeg" | "webp";

/** Sides of an image, in pixels. */
export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** A size that is wished for: that of an image, or one that stands for a ratio alone. */
export interface AskedSize extends ImageSize {
  readonly ratioOnly: boolean;
}

export interface DrawRequest {
  /** Model id as the client wrote it: an id or an alias. */
  readonly model: string;
  readonly prompt: string;
  /** How many, drawn independently. */
  readonly images: number;
  /** null: the model's own. */
  readonly size: AskedSize | null;
  /** 32-bit unsigned, of the first image; each further one has the next. null draws a fresh one. */
  readonly seed: number | null;
  readonly format: ImageFormat;
  /** Of JPEG and WebP, 1 to 100; null: as suits the format. */
  readonly quality: number | null;
  /** Whether the images are kept for a while, to be fetched by URL. */
  readonly kept: boolean;
}

/** One image as the engine sees it. */
export interface DrawJob extends ImageSize {
  readonly prompt: string;
  readonly seed: number;
  readonly format: ImageFormat;
  readonly quality: number | null;
}

export interface DrawnImage extends ImageSize {
  /** The file. */
  readonly bytes: Uint8Array;
  /** What of the prompt was read: all of it, unless it is longer than the model reads. */
  readonly promptRead: string;
}

/** A model that draws, held in memory for one run. */
export interface LoadedPainter {
  /** What comes nearest to a size that is asked for, of what the model can draw. */
  sizeFor(asked: AskedSize | null): ImageSize;
  /** The run is over: the model may leave memory. A second call does nothing. */
  release(): void;
}

/** The port to whatever draws. Implementation: engine/images (onnxruntime in a worker thread). */
export interface DrawingEngine {
  /**
   * Holds a model in memory until the answer is released.
   * @throws HearthError `model_unavailable` with the reason.
   */
  load(model: Model): Promise<LoadedPainter>;
  /**
   * Draws one image of a size that the model told; images are drawn one after the other.
   * @param onStep told of every step that is done.
   * @throws HearthError `model_unavailable` where the model cannot draw after all; the signal's reason when it aborts, within a step.
   */
  draw(model: Model, job: DrawJob, signal: AbortSignal, onStep: () => void): Promise<DrawnImage>;
  /** The models in memory now. */
  residents(): readonly ResidentModel[];
  /** Stops drawing at the next step and frees all memory. */
  close(): Promise<void>;
}
