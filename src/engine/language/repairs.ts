/**
 * Changes to a conversation for strict templates, which raise an error for messages that others accept. No repair leaves out a text, or
 * moves a text past another one. Texts are only joined, so that what is masked in them stays masked.
 */
import type { TemplateMessage } from "./tools/messages.js";

/** All repairs by their public names, in the order in which they are tried. */
export const allRepairs = [
  "broken-arguments-wrapped",
  "null-content-emptied",
  "later-system-folded",
  "system-folded",
  "turns-merged",
  "user-turn-inserted",
  "results-joined",
  "texts-as-parts",
  "tools-in-words",
] as const;

export type Repair = (typeof allRepairs)[number];

/** Applied in this order. Tools are said in words where the messages are made (`ToolFormat.inWords`). */
const changes: readonly (readonly [Repair, (messages: readonly TemplateMessage[]) => TemplateMessage[]])[] = [
  ["broken-arguments-wrapped", wrapBrokenArguments],
  ["null-content-emptied", emptyNullContent],
  ["later-system-folded", foldLaterSystem],
  ["system-folded", foldSystem],
  ["turns-merged", mergeTurns],
  ["user-turn-inserted", insertUserTurn],
  ["results-joined", joinResults],
  ["texts-as-parts", writeTextsAsParts],
];

/** Returns the messages with the given repairs. A message that needs none of them is unchanged. */
export function repairMessages(
  messages: readonly TemplateMessage[],
  repairs: readonly Repair[],
): readonly TemplateMessage[] {
  return changes
    .filter(([name]) => repairs.includes(name))
    .reduce<readonly TemplateMessage[]>((changed, [, change]) => change(changed), messages);
}

/**
 * Returns the sets of repairs to try, each in the order of `allRepairs`: those that the model needs, then one more, then more and more
 * of the others. At most twice as many as there are repairs.
 */
export function repairSets(needed: readonly Repair[]): readonly (readonly Repair[])[] {
  const others = allRepairs.filter((repair) => !needed.includes(repair));
  const withOthers = (more: readonly Repair[]): readonly Repair[] =>
    allRepairs.filter((repair) => needed.includes(repair) || more.includes(repair));
  const single = others.map((repair) => withOthers([repair]));
  const several = others.map((_, index) => withOthers(others.slice(0, index + 1))).slice(1);
  return [withOthers([]), ...single, ...several];
}

/** Puts arguments that are no object, such as a cut text, into one: templates that list the members refuse them, or leave them out. */
function wrapBrokenArguments(messages: readonly TemplateMessage[]): TemplateMessage[] {
  return messages.map((message) => {
    const { tool_calls: calls } = message;
    if (!Array.isArray(calls)) return message;
    const wrapped = (calls as readonly TemplateCall[]).map((call) => {
      const { arguments: given } = call.function;
      if (typeof given === "object" && given !== null && !Array.isArray(given)) return call;
      return { ...call, function: { ...call.function, arguments: { arguments: given } } };
    });
    return { ...message, tool_calls: wrapped };
  });
}

interface TemplateCall {
  readonly function: { readonly name: string; readonly arguments: unknown };
}

function emptyNullContent(messages: readonly TemplateMessage[]): TemplateMessage[] {
  return messages.map((message) => (message["content"] === null ? { ...message, content: "" } : message));
}

/** Joins the system messages at the beginning to one, and puts every later one into the next user message. */
function foldLaterSystem(messages: readonly TemplateMessage[]): TemplateMessage[] {
  const end = messages.findIndex(({ role }) => role !== "system");
  const first = end < 0 ? messages : messages.slice(0, end);
  return [...mergeTurns(first), ...foldSystem(messages.slice(first.length))];
}

/** Puts every system message into the next message, if that is the user's; else it becomes a user message itself. */
function foldSystem(messages: readonly TemplateMessage[]): TemplateMessage[] {
  const folded: TemplateMessage[] = [];
  let isOpen = false;
  for (const message of messages) {
    const isSystem = isFoldable(message);
    const last = folded.at(-1);
    const turn = isSystem ? { role: "user", content: message["content"] } : message;
    if (isOpen && last !== undefined && turn["role"] === "user")
      folded[folded.length - 1] = { ...turn, content: joinTexts(last["content"], turn["content"]) };
    else folded.push(turn);
    isOpen = isSystem;
  }
  return folded;
}

/** Whether the message is a system message without other fields that a user message cannot have, such as definitions of tools. */
function isFoldable(message: TemplateMessage): boolean {
  return message["role"] === "system" && message["tools"] === undefined;
}

/** Merges neighbouring messages of one role. Results of tools stay apart, and so does what follows a call. */
function mergeTurns(messages: readonly TemplateMessage[]): TemplateMessage[] {
  const merged: TemplateMessage[] = [];
  for (const message of messages) {
    const last = merged.at(-1);
    const merges =
      last?.["role"] === message["role"] && message["role"] !== "tool" && last?.["tool_calls"] === undefined;
    if (merges && last !== undefined) merged[merged.length - 1] = mergeTwo(last, message);
    else merged.push(message);
  }
  return merged;
}

function mergeTwo(first: TemplateMessage, second: TemplateMessage): TemplateMessage {
  const { name: firstName, ...fields } = first;
  const { name, ...laterFields } = second;
  const merged: Record<string, unknown> = { ...fields, ...laterFields };
  // A template has one name for a message.
  if (name !== undefined && name === firstName) merged["name"] = name;
  for (const [key, value] of Object.entries(fields)) {
    if (key !== "role" && key in laterFields) merged[key] = joinTexts(value, laterFields[key]);
  }
  return merged;
}

/** Puts an empty message of the user before an assistant's that begins the conversation. */
function insertUserTurn(messages: readonly TemplateMessage[]): TemplateMessage[] {
  const at = messages.findIndex(({ role }) => role !== "system");
  if (messages[at]?.["role"] !== "assistant") return [...messages];
  return messages.toSpliced(at, 0, { role: "user", content: "" });
}

/** Joins the results of one turn's calls, for templates that accept one after a turn. */
function joinResults(messages: readonly TemplateMessage[]): TemplateMessage[] {
  const joined: TemplateMessage[] = [];
  for (const message of messages) {
    const last = joined.at(-1);
    if (last?.["role"] === "tool" && message["role"] === "tool")
      joined[joined.length - 1] = { ...last, content: joinTexts(last["content"], message["content"]) };
    else joined.push(message);
  }
  return joined;
}

/** Returns the value that is a text, or both texts with an empty line between them; a list of parts stays one. */
function joinTexts(first: unknown, second: unknown): unknown {
  if (Array.isArray(first) || Array.isArray(second)) return [...toParts(first), ...toParts(second)];
  if (typeof first !== "string" || first === "") return second ?? first;
  if (typeof second !== "string" || second === "") return first;
  return `${first}\n\n${second}`;
}

function toParts(content: unknown): readonly unknown[] {
  if (Array.isArray(content)) return content as readonly unknown[];
  return typeof content === "string" && content !== "" ? [{ type: "text", text: content }] : [];
}

/** For templates that read only lists of parts. */
function writeTextsAsParts(messages: readonly TemplateMessage[]): TemplateMessage[] {
  return messages.map((message) => {
    const { content } = message;
    return typeof content === "string" ? { ...message, content: [{ type: "text", text: content }] } : message;
  });
}
