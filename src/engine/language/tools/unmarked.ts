/** Calls without marks of the model's family, which models of every family write: as JSON, as Python, or the name and JSON. */
import type { CallSyntax, EnvelopeBody, NotationBody } from "./syntax.js";

/** What may be around calls without marks. */
export const fence = "```";
/** What begins calls after a text. */
export const lineOpenings = ["\n[", "\n{"];
/** What follows an opening fence; the longest that is there. */
export const fenceWords = ["json\n", "python\n", "tool_code\n", "tool_call\n", "tool_calls\n", "\n"];

/** Python's notation of a call. */
export const pythonCall: NotationBody = {
  type: "notation",
  open: "(",
  close: ")",
  assign: "=",
  separator: ", ",
  quote: '"',
  escapes: true,
  nested: "python",
  pythonWords: true,
};

const envelope: EnvelopeBody = {
  type: "envelope",
  nameKey: "name",
  argumentsKey: "arguments",
  alsoRead: {
    name: ["function", "tool", "tool_name", "function_name"],
    arguments: ["parameters", "args", "input", "tool_input"],
  },
  wrapper: "function",
  listKeys: ["tool_calls"],
  otherKeys: ["type", "id", "tool_call_id", "call_id", "index", "role", "content"],
};

const one = { between: [";"], before: [], after: [], wholeAnswer: true } as const;
const list = { between: [",", " "], before: [], after: [], wholeAnswer: true } as const;
const brackets = { open: ["["], close: ["]"] } as const;

const functools = { open: ["functools", "["], close: ["]"] } as const;
const nameFirst = { type: "bare-name", afterName: ["\n"] } as const;

/** In the order in which they are tried. */
export const unmarkedSyntaxes: readonly CallSyntax[] = [
  { ...one, body: envelope },
  { ...list, section: brackets, body: envelope },
  { ...list, section: brackets, body: pythonCall },
  { ...list, section: functools, body: envelope },
  { ...one, body: pythonCall },
  { ...one, body: nameFirst },
];

/** What may be written before the name. */
const members = [true, false].map((outer) => ({
  key: "type",
  place: "first" as const,
  value: '"function"',
  outer,
}));
const written: EnvelopeBody = { type: "envelope", nameKey: "name", argumentsKey: "arguments", members };

const messageShaped: EnvelopeBody = { ...written, wrapper: "function", argumentsMayBeText: true };

/** The same for grammars, which describe one way to write an object. */
export const writtenUnmarked: readonly CallSyntax[] = [
  ...[written, { ...written, argumentsKey: "parameters" }, { ...written, wrapper: "function" }].flatMap(
    (body): readonly CallSyntax[] => [
      { ...one, between: ["\n"], body },
      { ...one, between: ["; "], body },
      { ...list, section: brackets, body },
    ],
  ),
  { ...one, body: messageShaped },
  { ...list, section: { open: ['{"tool_calls":', " ", "["], close: ["]", "}"] }, body: messageShaped },
  { ...list, section: functools, body: written },
  { ...one, between: ["\n"], body: nameFirst },
  { ...list, section: brackets, body: pythonCall },
  { ...one, between: ["\n"], body: pythonCall },
];
