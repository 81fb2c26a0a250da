/** What a turn without calls shows of a template: the texts that other turns are compared with. */
import { isMark, piecesOfText, sharedEnd, sharedStart } from "./pieces.js";
import { marker, promptProbe, textProbe, type TurnProbe } from "./probes.js";

/** Yields what is to be rendered, and receives its text, or null where the template refuses it. */
export type Deriving<T> = Generator<TurnProbe, T, string | null>;

export interface TurnTexts {
  /** Before the text of a turn, from the end of the user's turn. */
  readonly header: string;
  /** After it. */
  readonly end: string;
  /** Where a generated turn begins. */
  readonly prompt: string;
  /** The same with reasoning off. */
  readonly closedPrompt: string;
  /** Whether the tools are written. */
  readonly writesDefinitions: boolean;
}

/** @returns null where the template does not show a turn of the model */
export function* readTurn(): Deriving<TurnTexts | null> {
  const prompt = yield promptProbe;
  const text = yield textProbe;
  if (prompt === null || text === null) return null;
  const rest = afterUser(text);
  const at = rest.indexOf(marker.text);
  if (at < 0) return null;
  const closed = yield { ...promptProbe, variables: { enable_thinking: false, thinking: false } };
  return {
    header: rest.slice(0, at),
    end: rest.slice(at + marker.text.length),
    prompt: afterUser(prompt),
    closedPrompt: afterUser(closed ?? prompt),
    writesDefinitions: prompt.includes("qx_first") && prompt.includes("qx_second"),
  };
}

/** Returns the text after the last turn of the user. */
export function afterUser(text: string): string {
  const at = text.lastIndexOf(marker.user);
  return at < 0 ? text : text.slice(at + marker.user.length);
}

/** How the calls of a rendered conversation are found. */
interface CallSearch {
  /** A text that the first call contains. */
  readonly name: string;
  /** Texts that end a turn. */
  readonly endTexts: readonly string[];
}

/**
 * Returns the part of a rendered conversation that has calls: without the start and the end of the turn.
 * @returns null where the name is not in it
 */
export function callsIn(text: string, turn: TurnTexts, { name, endTexts }: CallSearch): string | null {
  const whole = afterUser(text);
  const result = whole.indexOf(marker.result);
  const shown = result < 0 ? whole : whole.slice(0, result);
  const starts = [turn.prompt, turn.header].map((start) => sharedStart(shown, start));
  const start = starts.reduce((longest, each) => (each.length > longest.length ? each : longest), "");
  const rest = shown.slice(start.length);
  const nameAt = rest.indexOf(name);
  if (nameAt < 0) return null;
  return withoutEnd(withoutNextTurn(rest, rest.lastIndexOf(name), turn), nameAt, turn.end, endTexts);
}

/** Cuts the text where another turn begins: at one of the header's first two marks that is not in front of or between the calls. */
function withoutNextTurn(text: string, lastAt: number, { header }: TurnTexts): string {
  const marks = piecesOfText(header).filter(isMark).slice(0, 2);
  const places = marks.map((mark) => text.indexOf(mark)).filter((at) => at > lastAt);
  return places.length === 0 ? text : text.slice(0, Math.min(...places));
}

/** Cuts the text where the turn ends. */
function withoutEnd(text: string, from: number, end: string, endTexts: readonly string[]): string {
  const ends = [end.trim(), ...endTexts].filter((each) => each !== "");
  const places = ends.map((each) => text.indexOf(each, from)).filter((at) => at >= 0);
  if (places.length > 0) return text.slice(0, Math.min(...places));
  return text.slice(0, text.length - sharedEnd(text, end).length);
}
