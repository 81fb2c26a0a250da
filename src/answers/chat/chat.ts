/** Chat completions: answered at once, deferred, or as the line of a batch; stored if the request wants that. */
import { createChunkEncoder, foldChat, type ChatIdentity } from "../../dialects/openai-chat/encode.js";
import { parseChatRequest, type ChatRequest } from "../../dialects/openai-chat/parse.js";
import { toStoredOwner } from "../../inference/stored-owner.js";
import { refuseInBatch, type TextEndpoint } from "../endpoint.js";
import { chunkForm, presentChunks } from "../frames.js";
import { createCompletionRecorder } from "./completion-recorder.js";

export interface ChatAnswer extends ChatRequest {
  /** The JSON with the contents of its files, which can be deleted before a deferred completion runs. */
  readonly whole: unknown;
}

export const chat: TextEndpoint<ChatAnswer, ChatAnswer> = {
  streamForm: chunkForm,
  takesFiles: true,
  parse(asking, whole) {
    const parsed = parseChatRequest(whole, asking.bodyText);
    const { stream, deferred } = parsed;
    refuseInBatch(asking, { stream, deferred });
    return { ...parsed, whole };
  },
  async load(_asking, read, { storedCompletions }) {
    if (read.stored !== null) await storedCompletions.refuseWhenFull();
    return read;
  },
  present(ready, given, { storedCompletions }) {
    const { request, callsAsFunction, textTools, streamsCalls, includeUsage, stored } = ready;
    const { id, createTime, model, modelName, principal } = given;
    const { choices } = request;
    const created = Math.floor(createTime / 1000);
    const identity: ChatIdentity = { id, created, model, modelName, choices, callsAsFunction, textTools };
    return {
      stream: () => presentChunks(createChunkEncoder({ ...identity, streamsCalls }, includeUsage)),
      json() {
        const fold = foldChat(identity);
        return { add: (event) => fold.add(event), body: () => fold.result() };
      },
      recorder:
        stored === null
          ? undefined
          : createCompletionRecorder(
              storedCompletions,
              { ...toStoredOwner(principal), createTime, stored },
              identity,
            ),
    };
  },
};
