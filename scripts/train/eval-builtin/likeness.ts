/** Compares the caption of a picture with a request that does not determine every word of it. */
import type { PictureRequest, Wanted } from "./picture-requests.js";
import { numbers, placeOf, pluralOf } from "../../../test/kit/pictures/sentences.js";

/** Returns the caption without sizes: number, colour, shape and place of everything, and the ground. */
export function sizeless(caption: string): string {
  return caption.replace(/\b(?:small|large) /g, "");
}

/** Returns what the caption lacks or has in addition, in words; what the request leaves open is ignored. */
export function unlike(caption: string, { things, ground }: PictureRequest): readonly string[] {
  const [, list = caption, seenGround = ""] = /^(.*) on an? (\w+) background$/.exec(caption) ?? [];
  const left = list.split(/, | and /);
  const lacks: string[] = [];
  for (const thing of things) {
    const at = left.findIndex((phrase) => isPhraseOf(phrase, thing));
    if (at < 0) lacks.push(`lacks ${nameNoun(thing)}`);
    else left.splice(at, 1);
  }
  const more = left.map((phrase) => `has ${phrase}`);
  return [...lacks, ...more, ...(seenGround === (ground ?? seenGround) ? [] : [`is not on ${ground ?? ""}`])];
}

function isPhraseOf(phrase: string, thing: Wanted): boolean {
  const [, number, size, noun, place] = /^(\w+) (small|large) (\w+ \w+) ?(.*)$/.exec(phrase) ?? [];
  return (
    number === numbers[thing.count] &&
    noun === nameNoun(thing) &&
    (thing.size === null || size === thing.size) &&
    (thing.cell === null || place === placeOf(thing.cell))
  );
}

/** Returns colour and shape, such as `red circle` or `red circles`. */
export function nameNoun({ count, color, shape }: Pick<Wanted, "count" | "color" | "shape">): string {
  return `${color} ${count > 1 ? pluralOf(shape) : shape}`;
}
