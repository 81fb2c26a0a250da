/**
 * Decides what is held out of the chat model's training, and checks items against it. Texts and values are
 * split by checksum: the training drops every conversation with a held-out user text and uses no held-out
 * value; the evaluation uses nothing else. Closed sets (colours, shapes, places, weekdays, small numbers)
 * belong to both.
 */
import { crc32 } from "node:zlib";

/** One in six texts and values is held out for the evaluation. */
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

/** Returns whether a text or a value is held out of training. */
export function isHeld(text: string): boolean {
  return crc32(text.toLowerCase().replace(/\s+/g, " ").trim()) % heldShare === 0;
}

/** Returns whether the evaluation may use a value: it is held out or belongs to a closed set. */
export function isUsable(value: string): boolean {
  return isKnownToAll(value) || isHeld(value);
}

function isKnownToAll(value: string): boolean {
  const small = /^\d+$/.test(value) && Number(value) <= smallNumbersMax;
  return small || closedWorlds.has(value.toLowerCase());
}

/** The parts of an item that are checked. */
export interface Claim {
  /** The user's last message. */
  readonly text: string;
  /** All variable parts: names, words, numbers, pairs of operands. */
  readonly values: readonly string[];
}

/**
 * Returns why an item must not be used, in words; null if it may.
 * @param trainedWords the words of the training's sentences, in lower case, which must not be values either
 */
export function refusal({ text, values }: Claim, trainedWords: ReadonlySet<string>): string | null {
  if (!isHeld(text)) return `the text ${JSON.stringify(text)} may have been trained on`;
  const known = values.find((value) => !isUsable(value));
  if (known !== undefined) return `the value ${JSON.stringify(known)} may have been trained on`;
  const worded = values.find((value) => !isKnownToAll(value) && trainedWords.has(value.toLowerCase()));
  return worded === undefined ? null : `the value ${JSON.stringify(worded)} is a word of the training`;
}
