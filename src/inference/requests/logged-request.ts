import type { RequestStatus } from "../../core/run-state.js";
import type { Ticks } from "../../core/money.js";
import type { Usage } from "../../core/usage.js";

/** The position of a request in the log. */
export interface RequestPosition {
  /** When the request was accepted. */
  readonly createTime: number;
  /** The id of its run. */
  readonly id: string;
}

/** A run as the log of requests shows it. Times are milliseconds since the epoch. */
export interface LoggedRequest extends RequestPosition {
  readonly requestId: string;
  readonly teamId: string;
  readonly apiKeyId: string;
  /** null when the key was deleted. */
  readonly apiKeyName: string | null;
  readonly model: string;
  /** The model's name in the request; null for runs older than this field. */
  readonly requestedModel: string | null;
  readonly endpoint: string;
  /** null for runs older than this field. */
  readonly streamed: boolean | null;
  readonly status: RequestStatus;
  readonly finishReason: string | null;
  readonly errorKind: string | null;
  /** When it got a slot; null until then. */
  readonly startTime: number | null;
  /** Milliseconds from its acceptance to the first text; null when there was none. */
  readonly firstTokenMs: number | null;
  readonly endTime: number | null;
  /** For a live request: so far. */
  readonly usage: Usage;
  readonly costTicks: Ticks;
}

/** Which requests are listed; null = all. */
export interface RequestFilter {
  readonly teamId: string | null;
  readonly apiKeyId: string | null;
  /** Who created the key. */
  readonly userId: string | null;
  /** Id of the model, or its name in the request. */
  readonly model: string | null;
  readonly status: RequestStatus | null;
  /** Accepted at `since` or later and before `until`. */
  readonly since: number | null;
  readonly until: number | null;
  /** In the ID, the request ID, a name of the model, the endpoint or the name of the key, whatever the case of its letters. */
  readonly text: string | null;
}

export interface RequestQuery extends RequestFilter {
  /** The page starts after this request; null = at the first one. */
  readonly after: RequestPosition | null;
  readonly limit: number;
}
