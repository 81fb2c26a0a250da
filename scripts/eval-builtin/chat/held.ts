/**
 * What was held out of the chat model's training, and whether an item keeps to it. Texts and values are split by checksum: the
 * training threw away every conversation in which something that a user says is held, and drew no held value; the evaluation asks
 * nothing else. Closed worlds (colours, shapes, places, weekdays, small numbers) are known to both sides.
 */
import { crc32 } from "node:zlib";

/** One in six texts and values belongs to the evaluation. */
const heldShare = 6;
const smallNumbersMax = 9;

const closedWorlds: ReadonlySet<string> = new Set(
  [
    "red orange yellow green blue purple pink brown black gray white",
    "circle square triangle diamond star heart cross ring moon arrow",
    "monday tuesday wednesday thursday friday saturday sunday",
    "english french german spanish italian polish dutch swedish",
    "small medium large true false",
  ].flatMap((words) => words.split(" ")),
);

/** Whether a text or a value was kept out of training. */
export function isHeld(text: string): boolean {
  return crc32(text.toLowerCase().replace(/\s+/g, " ").trim()) % heldShare === 0;
}

/** Whether the evaluation may use a value: it is held, or everyone knows it. */
export function isUsable(value: string): boolean {
  return isKnownToAll(value) || isHeld(value);
}

function isKnownToAll(value: string): boolean {
  const small = /^\d+$/.test(value) && Number(value) <= smallNumbersMax;
  return small || closedWorlds.has(value.toLowerCase());
}

/** What an item says of itself for this rule. */
export interface Claim {
  /** What the user says last. */
  readonly text: string;
  /** Everything in it that another item could say in its place: names, words, numbers, pairs of a sum. */
  readonly values: readonly string[];
}

/**
 * Why an item may not be asked, in words; null when it may.
 * @param trainedWords words, in lower case, of which the sentences of the training are made: no values either.
 */
export function refusal({ text, values }: Claim, trainedWords: ReadonlySet<string>): string | null {
  if (!isHeld(text)) return `the text ${JSON.stringify(text)} may have been trained on`;
  const known = values.find((value) => !isUsable(value));
  if (known !== undefined) return `the value ${JSON.stringify(known)} may have been trained on`;
  const worded = values.find((value) => !isKnownToAll(value) && trainedWords.has(value.toLowerCase()));
  return worded === undefined ? null : `the value ${JSON.stringify(worded)} is a word of the training`;
}
