/** The port to vision models, which describe images. */
import type { ResidentModel } from "../engine.js";
import type { ImageDetail, DecodedImage } from "./images.js";
import type { Model } from "../model.js";

export interface DescribeOptions {
  readonly detail: ImageDetail;
  /** The question about the image; ignored by models that only write captions. */
  readonly prompt?: string;
}

/** A model's description of an image. */
export interface ImageDescription {
  readonly text: string;
  /** Sampled tokens. */
  readonly tokens: number;
}

export interface VisionEngine {
  /**
   * Describes an image; loads the model if it is not in memory. Aborting takes effect at the next step of the model.
   * @throws HearthError `model_unavailable`; `overloaded` when too many images wait.
   * @throws the signal's reason when it aborts.
   */
  describe(
    model: Model,
    picture: DecodedImage,
    look: DescribeOptions,
    signal: AbortSignal,
  ): Promise<ImageDescription>;
  /** The models in memory now. */
  residents(): readonly ResidentModel[];
  /** Waits until the current step has ended, then frees all memory. */
  close(): Promise<void>;
}
