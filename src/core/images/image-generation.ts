/** Image generation: the request, the result, and the port to the engine that runs image models. */
import type { ResidentModel } from "../engine.js";
import type { Model } from "../model.js";
import type { RequestLabels } from "../requests/labels.js";

export type ImageFormat = "png" | "jpeg" | "webp";

/** Width and height of an image, in pixels. */
export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

export interface RequestedImageSize extends ImageSize {
  /** Whether only the aspect ratio of the size matters. */
  readonly ratioOnly: boolean;
}

/** What a request states of the form of its images. */
export interface ImageForm {
  /** null = the model's default size. */
  readonly size: RequestedImageSize | null;
  readonly format: ImageFormat;
  /** 1 to 100, for JPEG and WebP; null = the format's default. */
  readonly quality: number | null;
}

export interface ImageGenerationRequest extends ImageForm {
  /** Model id as the client wrote it: an id or an alias. */
  readonly model: string;
  readonly prompt: string;
  /** Number of images, generated independently. */
  readonly images: number;
  /** 32-bit unsigned seed of the first image; each further image has the next one. null = a random seed. */
  readonly seed: number | null;
  /** Whether the images are stored for a while, to be fetched by URL. */
  readonly stored: boolean;
  /** Spend is counted by them. */
  readonly labels?: RequestLabels;
}

/** The generation of one image. */
export interface ImageGenerationJob extends ImageSize {
  readonly prompt: string;
  readonly seed: number;
  readonly format: ImageFormat;
  readonly quality: number | null;
}

export interface GeneratedImage extends ImageSize {
  /** The encoded image file. */
  readonly bytes: Uint8Array;
  /** The part of the prompt that the model read: all of it unless it exceeds the model's maximum. */
  readonly promptRead: string;
  /** Tokens of the text that the model read. */
  readonly promptTokens: number;
  /** Positions of the image within the model, as tokens are the positions of a text. */
  readonly imageTokens: number;
}

/** An image model, kept in memory for one run. */
interface LoadedImageModel {
  /** Returns the supported size nearest to the requested one. */
  sizeFor(requested: RequestedImageSize | null): ImageSize;
  /** Allows the model to be unloaded, when the run has ended. A second call does nothing. */
  release(): void;
}

/** The port to the engine of image models. Implementation: engine/images (onnxruntime in a worker thread). */
export interface ImageEngine {
  /**
   * Loads a model and keeps it in memory until the returned object is released.
   * @throws HearthError `model_unavailable` with the reason.
   */
  load(model: Model, signal?: AbortSignal): Promise<LoadedImageModel>;
  /**
   * Generates one image of a size that `sizeFor` returned; images are generated one after the other.
   * @param onStep called after every step.
   * @throws HearthError `model_unavailable` when the model turns out to be unusable.
   * @throws the signal's reason, within one step, when it aborts.
   */
  generate(
    model: Model,
    job: ImageGenerationJob,
    signal: AbortSignal,
    onStep: () => void,
  ): Promise<GeneratedImage>;
  /** The models in memory now. */
  residents(): readonly ResidentModel[];
  /** Aborts at the next step and frees all memory. */
  close(): Promise<void>;
}
