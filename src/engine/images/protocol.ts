import type { ImageJob, ImageModelOptions, RawImage } from "./image-model.js";
import type { SupportedSizes } from "./size.js";

/** `folder` identifies a model. */
export type ImageRequest =
  | { readonly type: "open"; readonly folder: string; readonly options: ImageModelOptions }
  | { readonly type: "generate"; readonly folder: string; readonly job: ImageJob }
  | { readonly type: "release"; readonly folder: string };

/** Results by the type of the request. */
export interface ImageReplies {
  readonly open: SupportedSizes;
  readonly generate: RawImage;
  readonly release: void;
}

/** Reported after each step of an image. */
export interface StepNews {
  readonly type: "step";
}
