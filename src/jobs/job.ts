import type { JobKind } from "../store/column-values.js";

export type { JobKind } from "../store/column-values.js";

/**
 * Work that is done in the background: it is in the queue from the moment its request is accepted until its outcome is written, and
 * survives the process.
 */
export interface Job {
  /** The id by which its outcome is fetched. */
  readonly id: string;
  readonly kind: JobKind;
  readonly teamId: string;
  readonly apiKeyId: string;
  /** The route of its request, as the usage table records it. */
  readonly endpoint: string;
  /** JSON text of the request, as the client sent it; of a deferred completion, with the contents of its files. */
  readonly body: string;
  /** How often it was started. */
  readonly attempts: number;
  /** Of the header of its request. */
  readonly tags: readonly string[];
  /** Milliseconds since the epoch. */
  readonly createTime: number;
}
