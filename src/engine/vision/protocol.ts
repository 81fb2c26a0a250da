import type { NativeModelInfo } from "../../core/engine.js";
import type { DecodedImage } from "../../core/images/images.js";
import type { ImageDescription, DescribeOptions } from "../../core/images/vision.js";

/** How the worker uses the machine. */
export interface VisionSettings {
  /** Cores that one model may use. */
  readonly cores: number;
  /** Threads of one model; null = depends on its size, up to `cores`. */
  readonly threads: number | null;
}

/** A model as it is sent to the worker. */
export interface VisionModelFiles {
  readonly key: string;
  readonly folder: string;
  readonly bytes: number;
}

export type VisionRequest =
  | { readonly type: "load"; readonly model: VisionModelFiles }
  | { readonly type: "unload"; readonly key: string }
  | {
      readonly type: "describe";
      readonly key: string;
      readonly image: DecodedImage;
      readonly options: DescribeOptions;
    };

/** Results by the type of the request. */
export interface VisionReplies {
  readonly load: NativeModelInfo;
  readonly unload: void;
  readonly describe: ImageDescription;
}
