import type { Chance } from "../../simulate/chance.js";
import type { FuzzTarget } from "../target.js";
import { changeBytes, type Material } from "./bytes.js";
import { changeJson } from "./json.js";
import { changeText } from "./text.js";

const changeBy = { bytes: changeBytes, text: changeText, json: changeJson } as const;
const changesMax = 6;

/** Returns a new input: one of the corpus with 1 to 6 changes, fewer more often. */
export function mutate(
  target: Pick<FuzzTarget, "format" | "bytesMax">,
  corpus: readonly Uint8Array[],
  words: readonly string[],
  chance: Chance,
): Uint8Array {
  let input = pickInput(corpus, chance);
  const material: Material = { chance, words, other: chance.pick(corpus) };
  for (let nth = 1; nth <= changesMax; nth += 1) {
    input = changeBy[target.format](input, material);
    if (chance.happens(0.5)) break;
  }
  return input.length > target.bytesMax ? input.subarray(0, target.bytesMax) : input;
}

/** The newest inputs are likelier: they do what the code has rarely done. */
function pickInput(corpus: readonly Uint8Array[], chance: Chance): Uint8Array {
  const newest = Math.max(0, corpus.length - 20);
  if (corpus.length === 0) return new Uint8Array();
  return chance.pick(chance.happens(0.4) ? corpus.slice(newest) : corpus);
}
