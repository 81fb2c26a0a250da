/** Documentation of a route, from which the OpenAPI document is built. */
import type { z } from "zod";
import type { ErrorKind } from "../../core/errors.js";

/** Tags of the OpenAPI document, in order. */
export const routeTags = {
  Chat: "Chat completions for OpenAI and xAI clients.",
  Responses: "Stored responses, conversations that continue them, and background responses.",
  Conversations: "Stored conversations, which responses continue.",
  Messages: "Messages for Anthropic clients.",
  Completions: "Older endpoints: completion of raw prompts and of Anthropic's text prompts.",
  Embeddings: "Vectors of texts, and the order of documents by their relevance to a query.",
  Images: "Image generation.",
  Batches: "Many requests that are answered within a day, at a reduced price.",
  Files: "Files of the team, for batches and prompts.",
  Models: "The models that the key may use, and their tokenizers.",
  Keys: "The API key of the request.",
  Accounts: "API keys, teams, members and the audit log; requires a management key.",
  Stored: "What teams have stored, for those who manage it; requires a management key.",
  Billing: "Credit, spending limits and usage of teams; requires a management key.",
  Alerts: "Alerts, and where they are sent; requires a management key.",
  Console: "Sign-in to the console; for its own pages.",
  Ollama: "The interface of Ollama, for tools that know no other. Pull and delete require a management key.",
  Server: "Health, metrics and this document.",
} as const;

export interface AnswerDocs {
  /** One sentence. */
  readonly description: string;
  /** Schema of a JSON body. */
  readonly schema?: z.ZodType;
  /** Content types of a body that is not JSON. Without `schema` and `contentType` there is no body. */
  readonly contentType?: string | readonly string[];
}

/** The stream that is sent with status 200: of events if the request has `stream: true`, or of lines unless it has `stream: false`. */
export type StreamDocs = EventStreamDocs | LineStreamDocs;

/** JSON values, one on each line. */
interface LineStreamDocs {
  readonly form: "lines";
  /** Schema of a line. */
  readonly schema: z.ZodType;
}

/** Server-sent events. */
interface EventStreamDocs {
  readonly form?: "events";
  /** Schema of the data of one event. */
  readonly schema: z.ZodType;
  /** Whether frames have an `event:` line that repeats the `type` of their data. */
  readonly named: boolean;
  /** Whether the last frame is `data: [DONE]`. */
  readonly done: boolean;
}

export interface RouteDocs {
  /** The unique `operationId`; generated clients use it as the name of the method. */
  readonly operation: string;
  readonly tag: keyof typeof routeTags;
  /** At most ten words. */
  readonly summary: string;
  /** Further details, in Markdown. */
  readonly description?: string;
  /** Descriptions of the path parameters. */
  readonly params?: Readonly<Record<string, string>>;
  /** Query parameters; each is a string on the wire. */
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /** Schema of a body of multipart/form-data. */
  readonly form?: z.ZodType;
  /** An example of the request body. */
  readonly example?: object;
  /** Successful responses by status; error responses come from the error table. */
  readonly answers: Readonly<Record<number, AnswerDocs>>;
  readonly stream?: StreamDocs;
  /** Errors of this route in addition to those that follow from its guard, path and schemas. */
  readonly errors?: readonly ErrorKind[];
}
