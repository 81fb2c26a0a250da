import type { DecodedImage } from "../../core/images/images.js";
import type { ImageDescription } from "../../core/images/vision.js";
import type { OpenRenderer } from "../language/renderer/renderer.js";

/** Returns whether the description is cancelled; called between two steps of the model. */
export type Stopped = () => boolean;

/** Options to open a model. */
export interface OpenOptions {
  /** Threads of one step. */
  readonly threads: number;
  /** Creates the renderer of a chat template. */
  readonly openRenderer: OpenRenderer;
}

/** An open vision model of any family. */
export interface VisionModel {
  /** Describes an image. `prompt` is a question for models that accept one; null: a general description. */
  describe(picture: DecodedImage, prompt: string | null, stopped: Stopped): Promise<ImageDescription>;
  /** Describes the details of an image, as one or several further descriptions. */
  describeDetails(picture: DecodedImage, stopped: Stopped): Promise<readonly ImageDescription[]>;
  dispose(): Promise<void>;
}

/** Opens the model in a folder. @throws any error of the runtime. */
export type OpenVisionModel = (folder: string, options: OpenOptions) => Promise<VisionModel>;
