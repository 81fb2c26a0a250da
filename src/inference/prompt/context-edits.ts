/** Applies edits to a conversation. Tokens are counted by the model's own tokenizer; nothing is generated. */
import type {
  AppliedEdit,
  ClearThinking,
  ClearToolUses,
  ContextEdit,
} from "../../core/prompt/context-edit.js";
import { HearthError } from "../../core/errors.js";
import type { GenerationRequest, Message, ToolCall } from "../../core/generation.js";
import type { TextTokens } from "../../core/engine.js";

/** Stands in the place of a cleared result. */
const clearedResult = "[The result of this call was removed to save space.]";
const clearedArguments = "{}";

interface EditedRequest {
  readonly request: GenerationRequest;
  /** The edits that have changed the conversation, in order. */
  readonly applied: readonly AppliedEdit[];
}

/** What counts tokens: the generator of runs. */
interface Counter {
  countPrompt(request: GenerationRequest, teamId: string, signal: AbortSignal): Promise<number>;
  tokenize(model: string, text: string, signal: AbortSignal): Promise<TextTokens>;
}

/** A change, and the texts that it removes and inserts. */
interface Change {
  readonly messages: readonly Message[];
  readonly cleared: number;
  readonly removed: readonly string[];
  readonly inserted: readonly string[];
}

/**
 * Applies the edits in order, each to what the one before it has left.
 * @throws HearthError as `countPrompt` does, but for a conversation that does not fit: the edits may make it fit.
 */
export async function applyContextEdits(
  counter: Counter,
  original: GenerationRequest,
  edits: readonly ContextEdit[],
  teamId: string,
  signal: AbortSignal,
): Promise<EditedRequest> {
  let request = original;
  const applied: AppliedEdit[] = [];
  for (const edit of edits) {
    if (edit.type === "clear-tool-uses" && !(await isTriggered(counter, request, edit, teamId, signal)))
      continue;
    const change =
      edit.type === "clear-tool-uses" ? withoutToolUses(request, edit) : withoutThinking(request, edit);
    if (change.cleared === 0) continue;
    const clearedTokens = await savedTokens(counter, request.model, change, signal);
    if (edit.type === "clear-tool-uses" && clearedTokens < edit.clearAtLeast) continue;
    request = { ...request, messages: change.messages };
    applied.push({ type: edit.type, cleared: change.cleared, clearedTokens });
  }
  return { request, applied };
}

/** Tokens of a prompt before and after its edits. */
interface EditedCount {
  /** Estimated from what was cleared if the whole prompt does not fit. */
  readonly original: number;
  readonly edited: number;
}

/** Counts the tokens of a prompt before and after its edits. @throws as `countPrompt` does for the edited prompt. */
export async function countEditedPrompt(
  counter: Counter,
  whole: GenerationRequest,
  edits: readonly ContextEdit[],
  teamId: string,
  signal: AbortSignal,
): Promise<EditedCount> {
  const { request, applied } = await applyContextEdits(counter, whole, edits, teamId, signal);
  const edited = await counter.countPrompt(request, teamId, signal);
  if (applied.length === 0) return { original: edited, edited };
  const cleared = applied.reduce((sum, { clearedTokens }) => sum + clearedTokens, 0);
  return { original: (await countIfItFits(counter, whole, teamId, signal)) ?? edited + cleared, edited };
}

async function isTriggered(
  counter: Counter,
  request: GenerationRequest,
  { trigger }: ClearToolUses,
  teamId: string,
  signal: AbortSignal,
): Promise<boolean> {
  if (trigger.type === "tool-uses") return listCalls(request.messages).length > trigger.value;
  const tokens = await countIfItFits(counter, request, teamId, signal);
  return tokens === null || tokens > trigger.value;
}

/** Counts the tokens of a prompt. @returns null if it does not fit. @throws otherwise as `countPrompt` does. */
async function countIfItFits(
  counter: Counter,
  request: GenerationRequest,
  teamId: string,
  signal: AbortSignal,
): Promise<number | null> {
  try {
    return await counter.countPrompt(request, teamId, signal);
  } catch (thrown) {
    if (thrown instanceof HearthError && thrown.kind === "context_length_exceeded") return null;
    throw thrown;
  }
}

/** Clears the calls, except the newest and the calls of excluded tools. A call without a result yet is none of them. */
function withoutToolUses(
  { messages }: GenerationRequest,
  { keep, excludedTools, clearedInputs }: ClearToolUses,
): Change {
  const answered = new Set(
    messages.flatMap(({ toolCallId }) => (toolCallId === undefined ? [] : [toolCallId])),
  );
  const calls = listCalls(messages).filter(({ id }) => answered.has(id));
  const older = calls.slice(0, Math.max(0, calls.length - keep));
  const cleared = new Map(
    older.filter(({ name }) => !excludedTools.includes(name)).map((call) => [call.id, call]),
  );
  const clearsInput = ({ id, name }: ToolCall): boolean =>
    cleared.has(id) && (clearedInputs === "all" || clearedInputs.includes(name));
  const removed: string[] = [];
  const inserted: string[] = [];
  const changed = messages.map((message): Message => {
    const { toolCallId, toolCalls, images: _, sounds: __, ...rest } = message;
    if (toolCallId !== undefined && cleared.has(toolCallId)) {
      removed.push(message.content);
      inserted.push(clearedResult);
      return { ...rest, toolCallId, content: clearedResult };
    }
    if (toolCalls?.some(clearsInput) !== true) return message;
    const emptied = toolCalls.map((call) => {
      if (!clearsInput(call)) return call;
      removed.push(call.arguments);
      inserted.push(clearedArguments);
      return { ...call, arguments: clearedArguments };
    });
    return { ...message, toolCalls: emptied };
  });
  return { messages: changed, cleared: cleared.size, removed, inserted };
}

function withoutThinking({ messages }: GenerationRequest, { keep }: ClearThinking): Change {
  const thinking = messages.filter(({ reasoning }) => reasoning !== undefined);
  const older = new Set(keep === "all" ? [] : thinking.slice(0, Math.max(0, thinking.length - keep)));
  const changed = messages.map((message): Message => {
    if (!older.has(message)) return message;
    const { reasoning: _, ...rest } = message;
    return rest;
  });
  const removed = [...older].map(({ reasoning }) => reasoning ?? "");
  return { messages: changed, cleared: older.size, removed, inserted: [] };
}

function listCalls(messages: readonly Message[]): readonly ToolCall[] {
  return messages.flatMap(({ toolCalls }) => toolCalls ?? []);
}

async function savedTokens(
  counter: Counter,
  model: string,
  { removed, inserted }: Change,
  signal: AbortSignal,
): Promise<number> {
  const count = async (texts: readonly string[]): Promise<number> =>
    (await counter.tokenize(model, texts.join("\n"), signal)).length;
  return Math.max(0, (await count(removed)) - (inserted.length === 0 ? 0 : await count(inserted)));
}
