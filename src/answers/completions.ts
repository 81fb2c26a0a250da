/** Completions of raw prompts, as OpenAI has them. */
import {
  createCompletionEncoder,
  foldCompletion,
  type CompletionIdentity,
} from "../dialects/openai-completions/encode.js";
import { parseCompletionRequest } from "../dialects/openai-completions/parse.js";
import { loadNothing, refuseInBatch, type TextEndpoint } from "./endpoint.js";
import { chunkForm, presentChunks } from "./frames.js";

type CompletionAnswer = ReturnType<typeof parseCompletionRequest>;

export const completions: TextEndpoint<CompletionAnswer, CompletionAnswer> = {
  streamForm: chunkForm,
  takesFiles: false,
  parse(asking, whole) {
    const parsed = parseCompletionRequest(whole);
    refuseInBatch(asking, { stream: parsed.stream });
    return parsed;
  },
  load: loadNothing,
  present({ request, stream: _, includeUsage, ...options }, { id, createTime, model, modelName }) {
    const { choices } = request;
    const created = Math.floor(createTime / 1000);
    const identity: CompletionIdentity = { id, created, model, modelName, choices, ...options };
    return {
      stream: () => presentChunks(createCompletionEncoder(identity, includeUsage)),
      json() {
        const fold = foldCompletion(identity);
        return { add: (event) => fold.add(event), body: () => fold.result() };
      },
    };
  },
};
