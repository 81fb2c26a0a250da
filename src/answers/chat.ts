/** Chat completions: answered at once, deferred, or as the line of a batch; stored if the request wants that. */
import { createChunkEncoder, foldChat, type ChatIdentity } from "../dialects/openai-chat/encode.js";
import { parseChatRequest, type ChatRequest } from "../dialects/openai-chat/parse.js";
import { toStoredOwner, type StoredOwner } from "../inference/stored-owner.js";
import { refuseInBatch, type TextEndpoint } from "./endpoint.js";
import { chunkForm, presentChunks } from "./frames.js";
import type { ChatCompletion } from "../dialects/openai-chat/response-schema.js";
import type { StoredCompletions } from "../inference/completions/stored-completions.js";
import type { RunRecorder } from "../inference/run/run-record.js";
import type { Write } from "../store/writes.js";

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

// How a chat completion with `store: true` is stored: as a whole, in the transaction that ends its run.

/** What is stored beside an answer. */
interface CompletionOwner extends StoredOwner {
  /** Milliseconds since the epoch. */
  readonly createTime: number;
  readonly stored: NonNullable<ChatRequest["stored"]>;
}

/** Creates the recorder of a run; an answer that failed or was aborted is not stored. */
function createCompletionRecorder(
  storedCompletions: StoredCompletions,
  owner: CompletionOwner,
  identity: ChatIdentity,
): RunRecorder {
  const fold = foldChat(identity);
  return {
    add: (event) => fold.add(event),
    writes: ({ state }) =>
      state === "completed" ? [completionInsertion(storedCompletions, owner, fold.result())] : [],
  };
}

function completionInsertion(
  storedCompletions: StoredCompletions,
  { teamId, userId, createTime, stored }: CompletionOwner,
  answer: ChatCompletion,
): Write {
  const { id, model } = answer;
  return storedCompletions.insertion({
    id,
    teamId,
    userId,
    model,
    createTime,
    ...stored,
    body: JSON.stringify(answer),
  });
}
