import type { Row } from "../../store/tables.js";

/** A chat completion that its team can fetch again. */
export type StoredCompletion = Omit<Row<"chatCompletions">, "entry">;

/** What is listed of the completions of a team. */
export interface CompletionsQuery {
  readonly limit: number;
  readonly order: "asc" | "desc";
  /** Id of the completion after which the page starts; null for the first page. */
  readonly after: string | null;
  /** Only completions of this model; null: of all models. */
  readonly model: string | null;
  /** Only those that have all of these pairs. */
  readonly metadata: Readonly<Record<string, string>>;
}

/** A stored completion as lists and requests by id return it. */
export type ListedCompletion = Pick<StoredCompletion, "id" | "metadata" | "body">;
