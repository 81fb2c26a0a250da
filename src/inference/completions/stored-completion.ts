import type { StoredOwner } from "../stored-owner.js";

/** A chat completion that its team can fetch again. Times are milliseconds since the epoch. */
export interface StoredCompletion extends StoredOwner {
  readonly id: string;
  /** The name of the model in the answer. */
  readonly model: string;
  readonly createTime: number;
  readonly expireTime: number;
  /** JSON text of an object of strings. */
  readonly metadata: string;
  /** JSON text of the messages of its request. */
  readonly messages: string;
  /** JSON text of the answer. */
  readonly body: string;
}

/** What is listed of the completions of a team. */
export interface CompletionsQuery {
  readonly limit: number;
  readonly order: "asc" | "desc";
  /** Id of the completion after which the page starts; null for the first page. */
  readonly after: string | null;
  /** Only those of this model; null: of all. */
  readonly model: string | null;
  /** Only those that have all of these pairs. */
  readonly metadata: Readonly<Record<string, string>>;
}

/** A stored completion as lists and requests by id return it. */
export type ListedCompletion = Pick<StoredCompletion, "id" | "metadata" | "body">;
