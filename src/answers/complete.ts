/** Anthropic's Text Completions, the predecessor of its Messages. */
import { encodeCompletion, foldComplete } from "../dialects/anthropic-complete/encode.js";
import { parseCompleteRequest } from "../dialects/anthropic-complete/parse.js";
import { eventFrame } from "../dialects/sse.js";
import { anthropicFailure, anthropicForm } from "./frames.js";
import { loadNothing, type TextEndpoint } from "./endpoint.js";

type TextCompletionAnswer = ReturnType<typeof parseCompleteRequest>;

export const complete: TextEndpoint<TextCompletionAnswer, TextCompletionAnswer> = {
  streamForm: anthropicForm,
  takesFiles: false,
  parse: (_asking, whole) => parseCompleteRequest(whole),
  load: loadNothing,
  present(_ready, { id, model, modelName, requestId }) {
    const identity = { id, model, modelName };
    return {
      stream: () => ({
        frames(event) {
          const piece = encodeCompletion(identity, event);
          return piece === null ? [] : [eventFrame(piece.type, piece)];
        },
        closing: "",
        failure: (error) => anthropicFailure(error, requestId),
      }),
      json() {
        const fold = foldComplete(identity);
        return { add: (event) => fold.add(event), body: () => fold.result() };
      },
    };
  },
};
