import type { Chance } from "../../figures/chance.js";
import type { FuzzTarget } from "../target.js";
import { changeBytes, type Material } from "./bytes.js";
import { changeJson } from "./json.js";
import { changeText } from "./text.js";

const changesMax = 6;

/** Returns a new input: one of the corpus with 1 to 6 changes, fewer more often. */
export function mutate(
  target: Pick<FuzzTarget, "format" | "bytesMax" | "parts">,
  corpus: readonly Uint8Array[],
  words: readonly string[],
  chance: Chance,
): Uint8Array {
  let input = pickInput(corpus, chance);
  const material: Material = { chance, words, other: chance.pick(corpus) };
  for (let nth = 1; nth <= changesMax; nth += 1) {
    input = changed(input, target, material);
    if (chance.happens(0.6)) break;
  }
  return input.length > target.bytesMax ? input.subarray(0, target.bytesMax) : input;
}

function changed(
  input: Uint8Array,
  { format, parts }: Pick<FuzzTarget, "format" | "parts">,
  material: Material,
): Uint8Array {
  if (format === "bytes") return changeBytes(input, material);
  return format === "json" ? changeJson(input, material) : changeText(input, material, parts);
}

/** The newest inputs are likelier: they do what the code has rarely done. */
function pickInput(corpus: readonly Uint8Array[], chance: Chance): Uint8Array {
  const newest = Math.max(0, corpus.length - 20);
  if (corpus.length === 0) return new Uint8Array();
  return chance.pick(chance.happens(0.4) ? corpus.slice(newest) : corpus);
}
