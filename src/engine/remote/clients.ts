import { createLlamaServerClient, type LlamaServerVocabulary } from "./clients/llama-server.js";
import { createSglangClient } from "./clients/sglang.js";
import { createVllmClient } from "./clients/vllm.js";
import type { RemoteClient, TokenKind } from "./protocol.js";

type Vocabulary = LlamaServerVocabulary;

const creators: Readonly<Record<TokenKind, (vocabulary: Vocabulary) => RemoteClient>> = {
  "llama-server": createLlamaServerClient,
  vllm: createVllmClient,
  sglang: createSglangClient,
};

/** One client for each vocabulary and kind: a client may keep what it has found out of a vocabulary. */
const clients = new WeakMap<Vocabulary, Map<TokenKind, RemoteClient>>();

/** Returns what speaks with servers of a kind. */
export function createRemoteClient(kind: TokenKind, vocabulary: Vocabulary): RemoteClient {
  const ofVocabulary = clients.get(vocabulary) ?? new Map<TokenKind, RemoteClient>();
  clients.set(vocabulary, ofVocabulary);
  const client = ofVocabulary.get(kind) ?? creators[kind](vocabulary);
  ofVocabulary.set(kind, client);
  return client;
}
