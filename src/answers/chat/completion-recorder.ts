/** How a chat completion with `store: true` is stored: as a whole, in the transaction that ends its run. */
import { foldChat, type ChatIdentity } from "../../dialects/openai-chat/encode.js";
import type { ChatRequest } from "../../dialects/openai-chat/parse.js";
import type { ChatCompletion } from "../../dialects/openai-chat/response-schema.js";
import type { StoredCompletions } from "../../inference/completions/stored-completions.js";
import type { RunRecorder } from "../../inference/run/run-record.js";
import type { StoredOwner } from "../../inference/stored-owner.js";
import type { Write } from "../../store/writes.js";

type Stores = StoredCompletions;

/** What is stored beside an answer. */
interface CompletionOwner extends StoredOwner {
  /** Milliseconds since the epoch. */
  readonly createTime: number;
  readonly stored: NonNullable<ChatRequest["stored"]>;
}

/** Creates the recorder of a run; an answer that failed or was aborted is not stored. */
export function createCompletionRecorder(
  storedCompletions: Stores,
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
  storedCompletions: Stores,
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
