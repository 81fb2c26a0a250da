import type { Picture } from "../../core/images.js";
import type { Described, Look } from "../../core/vision.js";
import type { Native } from "../resident-models.js";

/** How the worker uses the machine. */
export interface VisionSettings {
  /** Cores that one model may keep busy. */
  readonly cores: number;
  /** Threads of one model; null = by its size, up to `cores`. */
  readonly threads: number | null;
}

/** A model as the worker needs it. */
export interface VisionModel {
  readonly id: string;
  readonly folder: string;
  readonly bytes: number;
}

/** Every call is answered by one reply with the same `call`, in the order in which they came. */
export type ToWorker =
  | { readonly type: "load"; readonly call: number; readonly model: VisionModel }
  | { readonly type: "unload"; readonly call: number; readonly id: string }
  | {
      readonly type: "describe";
      readonly call: number;
      readonly id: string;
      readonly picture: Picture;
      readonly look: Look;
      /** One 32-bit integer; other than 0: nobody waits for the description any more. */
      readonly stop: SharedArrayBuffer;
    }
  | { readonly type: "close"; readonly call: number };

/** What a call came to, by its type. */
export interface Replies {
  readonly load: Native;
  readonly unload: null;
  /** null: it was stopped. */
  readonly describe: Described | null;
  readonly close: null;
}

export type FromWorker =
  | { readonly type: "done"; readonly call: number; readonly value: Replies[keyof Replies] }
  | { readonly type: "failed"; readonly call: number; readonly cause: string };
