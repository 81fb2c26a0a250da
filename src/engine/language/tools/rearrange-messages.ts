/** Rearranges conversations for templates that support less per turn. No content is dropped. */
import type { Message, ToolCall } from "../../../core/generation.js";

/** Splits text and calls into two messages, for templates that write calls only without text. */
export function separateTextFromCalls(message: Message): readonly Message[] {
  if (message.content === "" || (message.toolCalls ?? []).length === 0) return [message];
  const { toolCalls, ...textOnly } = message;
  return [textOnly, { role: message.role, content: "", ...(toolCalls === undefined ? {} : { toolCalls }) }];
}

/** Splits a message into one message per call. */
export function splitParallelCalls(message: Message): readonly Message[] {
  const { toolCalls = [], role } = message;
  if (toolCalls.length < 2) return [message];
  return toolCalls.map((call, index) =>
    index === 0 ? { ...message, toolCalls: [call] } : { role, content: "", toolCalls: [call] },
  );
}

/** Moves results directly after the calls they belong to. */
export function moveResultsToCalls(turns: readonly Message[]): readonly Message[] {
  const calls = new Set(turns.flatMap(({ toolCalls = [] }) => toolCalls.map(({ id }) => id)));
  const results = new Map<string, Message[]>();
  for (const turn of turns) {
    if (turn.role !== "tool" || turn.toolCallId === undefined || !calls.has(turn.toolCallId)) continue;
    results.set(turn.toolCallId, [...(results.get(turn.toolCallId) ?? []), turn]);
  }
  return turns.flatMap((turn) => {
    if (turn.role === "tool" && turn.toolCallId !== undefined && calls.has(turn.toolCallId)) return [];
    const answers = (turn.toolCalls ?? []).flatMap((call: ToolCall) => {
      const found = results.get(call.id) ?? [];
      results.delete(call.id);
      return found;
    });
    return [turn, ...answers];
  });
}

/** Returns call ids in the family's format; conversations with the same beginning get the same ids. */
export function callIdsFor(
  messages: readonly Message[],
  style: "nine" | "numbered",
): ReadonlyMap<string, string> {
  const ids = new Map<string, string>();
  const addId = (id: string, name: string): void => {
    if (ids.has(id)) return;
    ids.set(id, style === "nine" ? ids.size.toString(36).padStart(9, "0") : `functions.${name}:${ids.size}`);
  };
  for (const { toolCalls = [], toolCallId, name } of messages) {
    for (const call of toolCalls) addId(call.id, call.name);
    if (toolCallId !== undefined) addId(toolCallId, name ?? "unknown");
  }
  return ids;
}
