import type { EmbeddingEngine } from "../../core/embeddings/engine.js";
import type { Conversation, Engine } from "../../core/engine.js";
import { loadKey, type Model } from "../../core/model.js";
import type { WorkerClient } from "../worker/client.js";
import { refuseLongInputs } from "./inputs/input-length.js";
import { unpackTokens } from "./packed-tokens.js";
import { refuseLongPrompt, type PromptBounds } from "./prompt/prompt-length.js";
import type { LanguageReplies, LanguageRequest, TextModelInfo } from "./protocol.js";

/** What the thread of text models does for any engine: it has the vocabularies and templates of the loaded models. */
export interface LanguageWorker
  extends Pick<Engine, "prompt" | "tokenize">, Pick<EmbeddingEngine, "tokenizeInputs"> {
  /** Calls the function whenever the thread is lost, and with it all models in it. */
  onLost(action: () => void): void;
  load(model: Model): Promise<TextModelInfo>;
  unload(model: Model): Promise<void>;
}

/** @param onLost as of LanguageWorker */
export function createLanguageWorker(
  worker: Pick<WorkerClient<LanguageRequest, LanguageReplies>, "call">,
  onLost: LanguageWorker["onLost"],
): LanguageWorker {
  const bounds = new Map<string, PromptBounds>();
  return {
    onLost,
    async load(model) {
      const info = await worker.call({ type: "load", model });
      bounds.set(loadKey(model), info);
      return info;
    },
    async unload(model) {
      bounds.delete(loadKey(model));
      await worker.call({ type: "unload", model });
    },
    async prompt(model, prompt) {
      const bound = bounds.get(loadKey(model));
      if (bound !== undefined) refuseLongPrompt(prompt, bound);
      const source = "prompt" in prompt ? prompt : readConversation(prompt);
      return worker.call({ type: "prompt", key: loadKey(model), source });
    },
    tokenize: async (model, text) =>
      unpackTokens(await worker.call({ type: "tokenize", key: loadKey(model), text })),
    async tokenizeInputs(model, source, signal) {
      const bound = bounds.get(loadKey(model));
      if (bound !== undefined) refuseLongInputs(source, bound.contextTokens);
      return worker.call({ type: "inputs", key: loadKey(model), source }, { signal });
    },
  };
}

/** Drops further properties of the object, which the thread does not need. */
function readConversation({ messages, tools, reasoningEffort, prefill }: Conversation): Conversation {
  return { messages, tools, reasoningEffort, ...(prefill === undefined ? {} : { prefill }) };
}
