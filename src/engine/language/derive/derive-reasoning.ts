/**
 * Derives the marks around a model's reasoning: from a turn whose reasoning the template writes, else from the place where the generated
 * turn begins with reasoning on and off.
 */
import type { ReasoningMarks } from "../reasoning.js";
import { isMark, piecesOfText, sharedEnd, sharedStart } from "./pieces.js";
import {
  callsProbe,
  marker,
  promptProbe,
  textProbe,
  twoCalls,
  withReasoning,
  type ProbeForm,
  type TurnProbe,
} from "./probes.js";
import { afterUser, type Deriving, type TurnTexts } from "./turn.js";

/** The fields of a message that templates read reasoning from. */
const reasoningFields = ["reasoning_content", "reasoning", "thinking"] as const;

interface DerivedReasoning {
  readonly marks: ReasoningMarks;
  /** Whether the template reads the reasoning of earlier turns from parts of their content only. */
  readonly inParts: boolean;
}

/** Returns the marks; null where the template shows none. */
export function* deriveReasoning(
  source: string,
  turn: TurnTexts,
  endTexts: readonly string[],
): Deriving<DerivedReasoning | null> {
  const found = yield* fromHistory(turn);
  const marks = found?.marks ?? (yield* fromPrompts(source, turn));
  if (marks === null) return null;
  const startsOpen = turn.prompt.trimEnd().endsWith(marks.open);
  const answer = findAnswerMarks(marks, turn, endTexts);
  return {
    marks: { ...marks, startsOpen, answer: answer ?? undefined },
    inParts: found?.inParts === true,
  };
}

/** Returns the marks around the text of a turn, except the marks of an empty block of reasoning, where the template has any. */
export function findAnswerMarks(
  reasoning: MarkPair | null,
  turn: TurnTexts,
  endTexts: readonly string[],
): MarkPair | null {
  const own = ownStart(turn);
  const at = reasoning === null ? -1 : own.lastIndexOf(reasoning.close);
  const lead = (reasoning === null || at < 0 ? own : own.slice(at + reasoning.close.length)).trim();
  const end = marksBeforeEnd(turn.end, endTexts);
  if (lead === "") return end === "" ? null : { open: "", close: end };
  if (reasoning !== null && lead.includes(reasoning.open)) return null;
  if (!piecesOfText(lead).some(isMark)) return null;
  return { open: lead, close: findPair(lead, turn.end)?.close ?? end };
}

/** Returns the marks that a turn has after its text and before what ends it; "": it has none. */
function marksBeforeEnd(end: string, endTexts: readonly string[]): string {
  const places = endTexts.map((each) => (each === "" ? -1 : end.indexOf(each))).filter((at) => at >= 0);
  const before = places.length === 0 ? "" : end.slice(0, Math.min(...places)).trim();
  return piecesOfText(before).some(isMark) ? before : "";
}

interface FoundMarks {
  readonly marks: MarkPair;
  readonly inParts: boolean;
}

function* fromHistory(turn: TurnTexts): Deriving<FoundMarks | null> {
  const form = { argumentsAsText: false, content: "", withResults: false };
  const inParts = withReasoningParts(textProbe);
  const probes: readonly TurnProbe[] = [
    withReasoning(textProbe, reasoningFields),
    inParts,
    ...reasoningFields.map((field) => withReasoning(callsProbe(twoCalls.slice(0, 1), form), [field])),
  ];
  for (const probe of probes) {
    const text = yield probe;
    const shown = text === null ? "" : afterUser(text);
    const at = shown.indexOf(marker.reasoning);
    if (at < 0) continue;
    const rest = shown.slice(at + marker.reasoning.length);
    const end = [marker.text, twoCalls[0].name].map((each) => rest.indexOf(each)).find((each) => each >= 0);
    const lead = shown.slice(0, at);
    const gap = rest.slice(0, end ?? 0);
    const pair = findPair(lead, gap);
    if (pair !== null) return { marks: pair, inParts: probe === inParts };
    // A template that does not read parts writes them as they are.
    if (probe === inParts) continue;
    const found = marksAround(lead, yield* gapBeforeAnswer(gap, turn, form), turn);
    if (found !== null) return { marks: found, inParts: false };
  }
  return null;
}

/** Returns what follows the reasoning, whether text or a call comes next. */
function* gapBeforeAnswer(gap: string, turn: TurnTexts, form: ProbeForm): Deriving<string> {
  const lead = ownStart(turn).trim();
  if (lead !== "" && gap.trimEnd().endsWith(lead)) return gap.slice(0, gap.lastIndexOf(lead));
  const probe = callsProbe(twoCalls.slice(0, 1), form);
  const bare = yield probe;
  const beforeCall = bare === null ? "" : (afterUser(bare).split(twoCalls[0].name)[0] ?? "");
  const call = sharedEnd(gap, beforeCall);
  // The turn with reasoning has a call, and no text.
  if (call !== "" && piecesOfText(call).some(isMark)) return gap.slice(0, gap.length - call.length);
  const text = yield withReasoning(probe, reasoningFields);
  const at = text?.indexOf(marker.reasoning) ?? -1;
  const rest = text === null || at < 0 ? "" : text.slice(at + marker.reasoning.length);
  const shared = sharedStart(gap, rest).trim();
  return shared === "" ? gap : shared;
}

/** Returns what a turn with text has before the text and no prompt ends with. */
function ownStart({ header, closedPrompt }: TurnTexts): string {
  return header.slice(sharedStart(header, closedPrompt).length);
}

/**
 * Returns what a turn has before and after its reasoning, and no other turn has.
 * @param lead from the user's turn to the reasoning
 * @param gap from the reasoning to what follows
 */
function marksAround(lead: string, gap: string, turn: TurnTexts): MarkPair | null {
  // A prompt may have an empty block, and a turn with text another one.
  const header = sharedStart(lead, sharedStart(turn.header, turn.closedPrompt));
  const opened = lead.slice(header.length).trim();
  // What only prompts have begins the block.
  const begun = turn.prompt.startsWith(header) ? turn.prompt.slice(header.length).trim() : "";
  const open = [opened, begun, marksBefore(lead)].find((each) => each !== "") ?? "";
  const close = gap.trim();
  return open === "" || close === "" ? null : { open, close };
}

/** The prompts with reasoning on and off differ by the marks of the block; or the prompt ends with the mark that opens it. */
function* fromPrompts(source: string, turn: TurnTexts): Deriving<MarkPair | null> {
  const off = yield { ...promptProbe, variables: { enable_thinking: false, thinking: false } };
  const on = yield { ...promptProbe, variables: { enable_thinking: true, thinking: true } };
  for (const text of [off, on].map((each) => (each === null ? "" : afterUser(each)))) {
    const pieces = piecesOfText(text.slice(sharedStart(text, turn.header).length)).filter(
      (piece) => piece.trim() !== "",
    );
    for (const [at, piece] of pieces.entries()) {
      const pair = findPair(piece, pieces[at + 1] ?? "");
      if (pair !== null) return pair;
    }
  }
  for (const text of [on ?? "", turn.prompt]) {
    const open = marksBefore(text);
    // A mark that ends other turns' headers opens none.
    if (open === "" || turn.header.trimEnd().endsWith(open)) continue;
    const close = piecesOfText(source).find((piece) => piece !== open && findPair(open, piece) !== null);
    if (close !== undefined) return { open, close };
  }
  return null;
}

/** Some templates read a list of parts. */
function withReasoningParts(probe: TurnProbe): TurnProbe {
  const parts = [
    { type: "thinking", thinking: marker.reasoning },
    { type: "text", text: marker.text },
  ];
  const messages = probe.messages.map((message) =>
    message["role"] === "assistant" ? { ...message, content: parts } : message,
  );
  return { ...probe, messages };
}

interface MarkPair {
  readonly open: string;
  readonly close: string;
}

/** Returns the last piece before a block and the first one after it, where both are marks of one name. */
function findPair(lead: string, gap: string): MarkPair | null {
  const open = marksBefore(lead);
  const close = nonBlank(gap)[0] ?? "";
  const closes = isMark(close) && open !== close && readName(open) === readName(close) && endsBlock(close);
  return closes ? { open, close } : null;
}

/** Returns the mark that a text ends with, without white space; "" where it ends otherwise. */
function marksBefore(text: string): string {
  const last = nonBlank(text).at(-1) ?? "";
  return isMark(last) ? last : "";
}

function nonBlank(text: string): readonly string[] {
  return piecesOfText(text).filter((piece) => piece.trim() !== "");
}

function endsBlock(mark: string): boolean {
  return /\/|end|close|suffix/i.test(mark);
}

/** Returns what the marks of one block have in common. */
function readName(mark: string): string {
  const words = mark.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const parts = words.flatMap((word) => word.split("_"));
  return parts.filter((word) => !/^(?:start|begin|open|prefix|end|close|suffix)$/.test(word)).join("_");
}
