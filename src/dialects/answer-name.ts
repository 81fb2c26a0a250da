import type { Model } from "../core/model.js";

/** What names an answer in OpenAI's dialects. */
export interface AnswerName {
  /** With the prefix of its endpoint, such as `resp_`, and 32 hex digits. */
  readonly id: string;
  /** Unix seconds. */
  readonly created: number;
  readonly model: Model;
  /** The name of the model in the request: its id or an alias. */
  readonly modelName: string;
}
