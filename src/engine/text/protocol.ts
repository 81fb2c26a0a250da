/** The calls to the thread of text models. Their news are events of generations. */
import type { LanguageReplies, LanguageRequest } from "../language/protocol.js";
import type { LlamaReplies, LlamaRequest } from "../llama/protocol.js";
import type { RemoteReplies, RemoteRequest } from "../remote/protocol.js";

export type TextRequest = LanguageRequest | LlamaRequest | RemoteRequest;

/** Results by the type of the request. */
export type TextReplies = LanguageReplies & LlamaReplies & RemoteReplies;
