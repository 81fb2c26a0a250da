/** What a route tells of itself beside its row in the table: the OpenAPI document is made of it. */
import type { z } from "zod";
import type { ErrorKind } from "../core/errors.js";

/** The chapters of the document, in their order. */
export const routeTags = {
  Chat: "Answers to conversations, as OpenAI and xAI clients ask for them.",
  Responses: "Answers that the server keeps: chains of them, and work in the background.",
  Messages: "Answers to conversations, as Anthropic clients ask for them.",
  Completions: "The older routes: raw prompts, and Anthropic's prompts of turns.",
  Images: "Images that are drawn from a text.",
  Models: "The models that the key may use, and their tokenizers.",
  Keys: "The key that asks.",
  Accounts: "Keys, teams and the audit log, with a management key.",
  Billing: "Credit, limits and use of teams, with a management key.",
  Server: "Health, figures, and this document.",
} as const;

export interface AnswerDocs {
  /** One sentence. */
  readonly description: string;
  /** Of a JSON answer. */
  readonly schema?: z.ZodType;
  /** Of an answer that is no JSON, or whichever of several it has; one with neither has no body. */
  readonly contentType?: string | readonly string[];
}

/** What is sent with `stream: true`, with status 200. */
export interface StreamDocs {
  /** Of the data of any one event. */
  readonly schema: z.ZodType;
  /** Whether frames have an `event:` line; it repeats the `type` of their data. */
  readonly named: boolean;
  /** Whether the last frame is `data: [DONE]`. */
  readonly done: boolean;
}

export interface RouteDocs {
  /** The document's operationId: unique, and what generated clients call their method. */
  readonly operation: string;
  readonly tag: keyof typeof routeTags;
  /** A few words. */
  readonly summary: string;
  /** What else there is to know, in Markdown. */
  readonly description?: string;
  /** What each path parameter stands for. */
  readonly params?: Readonly<Record<string, string>>;
  /** Fields of the query; each of them a text on the wire. */
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /** A body to try it with. */
  readonly example?: object;
  /** By status; those of errors come from the error table. */
  readonly answers: Readonly<Record<number, AnswerDocs>>;
  readonly stream?: StreamDocs;
  /** Errors of this route beyond those that any route of its guard and method may answer with. */
  readonly errors?: readonly ErrorKind[];
}
