/**
 * Derives the marks around a model's reasoning: from a turn whose reasoning the template writes, else from the place where the generated
 * turn begins with reasoning on and off.
 */
import { marksBefore, pairOf, type Marks } from "./mark-pairs.js";
import { piecesOfText, sharedStart } from "./pieces.js";
import { callsProbe, marker, promptProbe, textProbe, twoCalls, withReasoning, type Probe } from "./probes.js";
import { afterUser, type Deriving, type TurnTexts } from "./turn.js";

/** The fields of a message that templates read reasoning from. */
export const reasoningFields = ["reasoning_content", "reasoning", "thinking"] as const;

export interface DerivedReasoning extends Marks {
  /** Whether a prompt ends inside the block, where a request states nothing. */
  readonly startsOpen: boolean;
}

/** Returns the marks; null where the template shows none. */
export function* deriveReasoning(source: string, turn: TurnTexts): Deriving<DerivedReasoning | null> {
  const marks = (yield* fromHistory(turn)) ?? (yield* fromPrompts(source, turn));
  if (marks === null) return null;
  return { ...marks, startsOpen: turn.prompt.trimEnd().endsWith(marks.open) };
}

function* fromHistory(turn: TurnTexts): Deriving<Marks | null> {
  const form = { argumentsAsText: false, content: "", withResults: false };
  const inParts = withReasoningParts(textProbe);
  const probes: readonly Probe[] = [
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
    // A template that does not read parts writes them as they are.
    const found = pairOf(lead, gap) ?? (probe === inParts ? null : marksAround(lead, gap, turn));
    if (found !== null) return found;
  }
  return null;
}

/**
 * Returns what a turn has before and after its reasoning, and no other turn has.
 * @param lead from the user's turn to the reasoning
 * @param gap from the reasoning to what follows
 */
function marksAround(lead: string, gap: string, turn: TurnTexts): Marks | null {
  const header = sharedStart(lead, turn.closedPrompt);
  const opened = lead.slice(header.length).trim();
  const open = opened === "" ? marksBefore(lead) : opened;
  const close = gap.trim();
  return open === "" || close === "" ? null : { open, close };
}

/** The prompts with reasoning on and off differ by the marks of the block; or the prompt ends with the mark that opens it. */
function* fromPrompts(source: string, turn: TurnTexts): Deriving<Marks | null> {
  const off = yield { ...promptProbe, variables: { enable_thinking: false, thinking: false } };
  const on = yield { ...promptProbe, variables: { enable_thinking: true, thinking: true } };
  for (const text of [off, on].map((each) => (each === null ? "" : afterUser(each)))) {
    const pieces = piecesOfText(text.slice(sharedStart(text, turn.header).length)).filter(
      (piece) => piece.trim() !== "",
    );
    for (const [at, piece] of pieces.entries()) {
      const pair = pairOf(piece, pieces[at + 1] ?? "");
      if (pair !== null) return pair;
    }
  }
  for (const text of [on ?? "", turn.prompt]) {
    const open = marksBefore(text);
    // A mark that ends other turns' headers opens none.
    if (open === "" || turn.header.trimEnd().endsWith(open)) continue;
    const close = piecesOfText(source).find((piece) => piece !== open && pairOf(open, piece) !== null);
    if (close !== undefined) return { open, close };
  }
  return null;
}

/** Some templates read a list of parts. */
function withReasoningParts(probe: Probe): Probe {
  const parts = [
    { type: "thinking", thinking: marker.reasoning },
    { type: "text", text: marker.text },
  ];
  const messages = probe.messages.map((message) =>
    message["role"] === "assistant" ? { ...message, content: parts } : message,
  );
  return { ...probe, messages };
}
