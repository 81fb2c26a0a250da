/** Who tells what is on an image. */
import type { ResidentModel } from "./engine.js";
import type { ImageDetail, Picture } from "./images.js";
import type { Model } from "./model.js";

export interface Look {
  readonly detail: ImageDetail;
  /** What the model is asked about the image; models that only describe are not asked. */
  readonly prompt?: string;
}

/** What a model says of an image. */
export interface Described {
  readonly text: string;
  /** Tokens that it sampled to say so. */
  readonly tokens: number;
}

/** The port to models that see. */
export interface VisionEngine {
  /**
   * Describes an image; the model is loaded where it is not in memory. Aborting ends it at the next step of the model.
   * @throws HearthError `model_unavailable`; `overloaded` when too many images wait.
   * @throws the signal's reason when it aborts.
   */
  describe(model: Model, picture: Picture, look: Look, signal: AbortSignal): Promise<Described>;
  /** The models in memory now. */
  residents(): readonly ResidentModel[];
  /** Lets what is in the middle of a step end it, and frees all memory. */
  close(): Promise<void>;
}
