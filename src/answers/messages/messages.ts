/** Anthropic's Messages. */
import { completeRequest } from "../../core/model.js";
import {
  createMessageEncoder,
  foldMessage,
  type MessageIdentity,
} from "../../dialects/anthropic-messages/encode.js";
import { eventFrame } from "../../dialects/sse.js";
import { applyContextEdits } from "../../inference/prompt/context-edits.js";
import type { AnswerContext } from "../context.js";
import { anthropicFailure, anthropicForm } from "../frames.js";
import { loadNothing, refuseInBatch, type Asking, type TextEndpoint } from "../endpoint.js";
import { listMessagesTools, offerMcp } from "./mcp.js";
import { parseMessages, type MessagesAnswer } from "./parse.js";

export const messages: TextEndpoint<MessagesAnswer, MessagesAnswer> = {
  streamForm: anthropicForm,
  takesFiles: true,
  parse(asking, whole) {
    const parsed = parseMessages(whole, asking.bodyText, offerMcp(asking));
    refuseInBatch(asking, { stream: parsed.stream });
    return parsed;
  },
  load: loadNothing,
  async prepare(asking, ready, app) {
    // MCP servers are asked only for a request that may run.
    if (ready.mcpServers.length > 0) await app.generator.refuse(ready.request.model, asking.principal);
    const listed = await listMessagesTools(app, asking, ready);
    try {
      return await editContext(asking, listed, app);
    } catch (thrown) {
      listed.close?.();
      throw thrown;
    }
  },
  present({ request, thinking, appliedEdits, documents, mcpTools, mcpLists }, given) {
    const { id, model, modelName, requestId } = given;
    const { maxTokens } = completeRequest(request, model);
    const names = { id, model, modelName };
    const identity: MessageIdentity = {
      ...names,
      thinking,
      maxTokens,
      appliedEdits,
      documents,
      mcpTools,
      mcpLists,
    };
    return {
      stream() {
        const encode = createMessageEncoder(identity);
        const frame = (event: { readonly type: string }): string => eventFrame(event.type, event);
        return {
          frames: (event) => encode(event).map(frame),
          closing: frame({ type: "message_stop" }),
          failure: (error) => anthropicFailure(error, requestId),
        };
      },
      json() {
        const fold = foldMessage(identity);
        return { add: (event) => fold.add(event), body: () => fold.body() };
      },
    };
  },
};

/** Clears of a long conversation what the request says: that reads the whole prompt. */
async function editContext(
  { principal, signal }: Asking,
  answer: MessagesAnswer,
  { generator }: AnswerContext,
): Promise<MessagesAnswer> {
  const { request: original, edits } = answer;
  if (edits === null || edits.length === 0) return answer;
  const { request, applied } = await applyContextEdits(generator, original, edits, principal.team.id, signal);
  return { ...answer, request, appliedEdits: applied };
}
