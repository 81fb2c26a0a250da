/** What a turn without calls shows of a template: the texts that other turns are compared with. */
import { marker, promptProbe, textProbe, type Probe } from "./probes.js";

/** Yields what is to be rendered, and receives its text, or null where the template refuses it. */
export type Deriving<T> = Generator<Probe, T, string | null>;

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
