/** The tables of what teams store: responses, conversations, chat completions, files and images. */
import type { Generated } from "kysely";
import type { FilePurpose, ResponseStatus } from "../column-values.js";

export interface StoredTables {
  responses: {
    id: string;
    teamId: string;
    /** Who created the API key of its request; null for what is older than this column. */
    userId: string | null;
    /** The response that it continues. */
    previousId: string | null;
    /** The conversation that its items are added to when it has completed. */
    conversationId: string | null;
    status: ResponseStatus;
    /** Whether it is processed in the background, so that it can be cancelled. */
    background: boolean;
    /** Whether its client requested a stream, so that its events are stored. */
    streamed: boolean;
    createTime: number;
    expireTime: number;
    /** JSON text of the response object. */
    body: string;
  };
  responseItems: {
    /** Grows with every insert. */
    entry: Generated<number>;
    responseId: string;
    teamId: string;
    side: "input" | "output";
    position: number;
    id: string;
    /** JSON text. */
    body: string;
  };
  responseEvents: {
    responseId: string;
    events: Uint8Array;
  };
  conversations: {
    id: string;
    teamId: string;
    createTime: number;
    /** JSON text of an object. */
    metadata: string;
  };
  conversationItems: {
    /** Grows with every insert. */
    entry: Generated<number>;
    conversationId: string;
    id: string;
    /** Size of `body`. */
    bytes: number;
    /** JSON text. */
    body: string;
  };
  chatCompletions: {
    /** Grows with every insert. */
    entry: Generated<number>;
    id: string;
    teamId: string;
    userId: string | null;
    /** The name of the model in the answer. */
    model: string;
    createTime: number;
    expireTime: number;
    /** JSON text of an object of strings. */
    metadata: string;
    /** JSON text of the messages of its request. */
    messages: string;
    /** JSON text of the answer. */
    body: string;
  };
  keptImages: {
    name: string;
    runId: string;
    bytes: number;
    expireTime: number;
  };
  files: {
    /** `file-` and 32 hexadecimal digits; also the name of its content in the folder of files. */
    id: string;
    teamId: string;
    /** Who created the API key of its request; null for what is older than this column. */
    userId: string | null;
    purpose: FilePurpose;
    /** The client's name of the file, which is shown and never used as a path. */
    filename: string;
    mimeType: string;
    bytes: number;
    createTime: number;
    /** null: it is stored until it is deleted. */
    expireTime: number | null;
  };
}
