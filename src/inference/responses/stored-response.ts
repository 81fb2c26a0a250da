import type { Write } from "../../store/write.js";
import type { ResponseStatus } from "../../store/column-values.js";

export type { ResponseStatus } from "../../store/column-values.js";

/** Statuses of a response whose run has not ended. */
export const unended: readonly ResponseStatus[] = ["queued", "in_progress"];

/** A response that its team can ask for again. Times are milliseconds since the epoch. */
export interface StoredResponse {
  readonly id: string;
  readonly teamId: string;
  /** The response that its conversation goes on from. */
  readonly previousId: string | null;
  readonly status: ResponseStatus;
  /** Whether nobody waited for it: such a one can be cancelled. */
  readonly background: boolean;
  /** Whether its client asked for a stream: such a one's events are kept. */
  readonly streamed: boolean;
  /** JSON text of the response object. */
  readonly body: string;
  readonly createTime: number;
  readonly expireTime: number;
}

/** Whether it is queued, or at work. */
export function isUnended({ status }: Pick<StoredResponse, "status">): boolean {
  return status === "queued" || status === "in_progress";
}

/** An input or output item of a response. */
export interface StoredItem {
  /** Its own id on the wire; not necessarily unique. */
  readonly id: string;
  /** JSON text. */
  readonly body: string;
}

/** How a response ended. */
export interface ResponseEnding {
  readonly status: Exclude<ResponseStatus, "queued" | "in_progress">;
  readonly body: string;
  readonly output: readonly StoredItem[];
  /** Its stream, compressed; null where none is kept. */
  readonly events: Uint8Array | null;
}

export interface ResponseStore {
  /** With its input items, and the output items of one that has ended already. */
  insertion(
    response: StoredResponse,
    input: readonly StoredItem[],
    output: readonly StoredItem[],
  ): readonly Write[];
  /** How it ended; nothing happens to one that has ended already or is gone. */
  ending(id: string, ending: ResponseEnding): readonly Write[];
  /** Work on a queued one has begun; nothing happens to one that is not queued. */
  begin(id: string, body: string): Promise<void>;
  /** @returns null for one that is not there or is another team's; so for all that follows. */
  find(id: string, teamId: string): Promise<StoredResponse | null>;
  /** The compressed stream of one that has ended. */
  events(id: string, teamId: string): Promise<Uint8Array | null>;
  /** Its own input items, in order. */
  input(id: string, teamId: string): Promise<readonly StoredItem[] | null>;
  /**
   * The conversation up to and with its output: of each response in the chain that leads to it, the oldest first, the input and
   * the output items. @returns null when one of the chain is gone, another team's, or not ended yet.
   * @throws HearthError `invalid_value` when the chain is longer than `responsesMax`.
   */
  chain(id: string, teamId: string, responsesMax: number): Promise<readonly StoredItem[] | null>;
  /** The newest items of those ids among the team's responses, by id. */
  items(ids: readonly string[], teamId: string): Promise<ReadonlyMap<string, string>>;
  /** @returns false when it was not there. */
  delete(id: string, teamId: string): Promise<boolean>;
  /** Deletes up to `limit` that have expired and are not at work. @returns how many it were. */
  deleteExpired(now: number, limit: number): Promise<number>;
  count(): Promise<number>;
}
