/** Conversations rearranged for templates that take less than one turn may hold. Nothing is ever left out. */
import type { Message, ToolCall } from "../../../core/generation.js";

/** Text and calls in two messages: these templates write calls only where there is no text. */
export function contentApart(message: Message): readonly Message[] {
  if (message.content === "" || (message.toolCalls ?? []).length === 0) return [message];
  const { toolCalls, ...said } = message;
  return [said, { role: message.role, content: "", ...(toolCalls === undefined ? {} : { toolCalls }) }];
}

/** One message for each call. */
export function splitCalls(message: Message): readonly Message[] {
  const { toolCalls = [], role } = message;
  if (toolCalls.length < 2) return [message];
  return toolCalls.map((call, index) =>
    index === 0 ? { ...message, toolCalls: [call] } : { role, content: "", toolCalls: [call] },
  );
}

/** Results moved to behind the calls they answer. */
export function besideCalls(turns: readonly Message[]): readonly Message[] {
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

/** Ids as the family writes them, the same for every conversation that begins the same way. */
export function idsOf(messages: readonly Message[], style: "nine" | "numbered"): ReadonlyMap<string, string> {
  const ids = new Map<string, string>();
  const put = (id: string, name: string): void => {
    if (ids.has(id)) return;
    ids.set(id, style === "nine" ? ids.size.toString(36).padStart(9, "0") : `functions.${name}:${ids.size}`);
  };
  for (const { toolCalls = [], toolCallId, name } of messages) {
    for (const call of toolCalls) put(call.id, call.name);
    if (toolCallId !== undefined) put(toolCallId, name ?? "unknown");
  }
  return ids;
}
