/** The messages between a WorkerClient and the worker host of its thread (host.ts). */
import type { WireError } from "./wire-error.js";

export type ToWorker =
  | {
      readonly type: "call";
      readonly id: number;
      readonly request: unknown;
      /** One 32-bit integer, other than 0 once the call is aborted; null: the call cannot be aborted. */
      readonly abortFlag: Int32Array | null;
    }
  | { readonly type: "abort"; readonly id: number }
  /** Answered with `pong` as soon as the worker's event loop reads it. */
  | { readonly type: "ping" }
  /** The last message. The worker finishes its calls, frees its resources and answers `closed`. */
  | { readonly type: "close" };

/** News of one call. */
export interface CallNews {
  readonly id: number;
  readonly news: unknown;
}

export type FromWorker =
  /** The first message: the worker accepts calls. */
  | { readonly type: "ready" }
  | { readonly type: "result"; readonly id: number; readonly value: unknown }
  | { readonly type: "error"; readonly id: number; readonly error: WireError }
  | { readonly type: "news"; readonly news: readonly CallNews[] }
  | { readonly type: "log"; readonly level: "warn" | "error"; readonly message: string }
  | { readonly type: "pong" }
  | { readonly type: "closed" };
