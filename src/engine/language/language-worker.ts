import type { InputSource } from "../../core/embeddings/request.js";
import type { Conversation, Prompt } from "../../core/engine.js";
import type { RawPrompt } from "../../core/generation.js";
import { loadKey, type Model } from "../../core/model.js";
import type { WorkerClient } from "../worker/client.js";
import { refuseLongInputs } from "./inputs/input-length.js";
import { unpackTokens } from "./packed-tokens.js";
import { refuseLongPrompt, type PromptBounds } from "./prompt/prompt-length.js";
import type { LanguageReplies, LanguageRequest, TextModelInfo } from "./protocol.js";

export type LanguageWorker = ReturnType<typeof createLanguageWorker>;

/**
 * Creates what the thread of text models does for any engine: it has the vocabularies and templates of the loaded models.
 * @param onLost calls the function whenever the thread is lost, and with it all models in it
 */
export function createLanguageWorker(
  worker: Pick<WorkerClient<LanguageRequest, LanguageReplies>, "call">,
  onLost: (action: () => void) => void,
) {
  const bounds = new Map<string, PromptBounds>();
  return {
    onLost,
    async load(model: Model): Promise<TextModelInfo> {
      const info = await worker.call({ type: "load", model });
      bounds.set(loadKey(model), info);
      return info;
    },
    async unload(model: Model): Promise<void> {
      bounds.delete(loadKey(model));
      await worker.call({ type: "unload", model });
    },
    async prompt(model: Model, prompt: Conversation | RawPrompt): Promise<Prompt> {
      const bound = bounds.get(loadKey(model));
      if (bound !== undefined) refuseLongPrompt(prompt, bound);
      const source = "prompt" in prompt ? prompt : readConversation(prompt);
      return worker.call({ type: "prompt", key: loadKey(model), source });
    },
    tokenize: async (model: Model, text: string) =>
      unpackTokens(await worker.call({ type: "tokenize", key: loadKey(model), text })),
    async tokenizeInputs(model: Model, source: InputSource, signal: AbortSignal) {
      const bound = bounds.get(loadKey(model));
      if (bound !== undefined) refuseLongInputs(source, bound.contextTokens);
      return worker.call({ type: "inputs", key: loadKey(model), source }, { signal });
    },
  };
}

/** Drops further properties of the object, which the thread does not need. */
function readConversation(conversation: Conversation): Conversation {
  const { messages, tools, reasoningEffort, templateVariables, prefill } = conversation;
  return { messages, tools, reasoningEffort, templateVariables, prefill };
}
