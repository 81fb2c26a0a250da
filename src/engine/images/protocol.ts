/** What the engine and its worker say to each other. One piece of work is in hand at a time; each ends with one `done` or `failed`. */
import type { Painting, PainterOptions, Sketch } from "./painter.js";
import type { Canvas } from "./size.js";

export type Work =
  | { readonly type: "open"; readonly folder: string; readonly options: PainterOptions }
  | { readonly type: "paint"; readonly folder: string; readonly sketch: Sketch }
  | { readonly type: "release"; readonly folder: string }
  /** The last one: the worker ends by itself. */
  | { readonly type: "end" };

export type Report =
  | { readonly type: "step" }
  | { readonly type: "opened"; readonly canvas: Canvas }
  | { readonly type: "painted"; readonly painting: Painting }
  | { readonly type: "released" }
  /** It was told to stop and has. */
  | { readonly type: "stopped" }
  | { readonly type: "failed"; readonly message: string; readonly isPublic: boolean };

/** What the worker is started with: a number that is not 0 while it is to stop what it is painting. */
export interface WorkerData {
  readonly stop: Int32Array;
}
