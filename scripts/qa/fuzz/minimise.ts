import { parsed, listPaths, replaceAt, valueAt } from "./mutate/json.js";

/**
 * Returns a smaller input that still fails, by leaving out what does not matter.
 * @param fails whether an input fails in the same way
 * @param triesMax inputs to try at most
 */
export async function minimise(
  input: Uint8Array,
  fails: (input: Uint8Array) => Promise<boolean>,
  triesMax: number,
): Promise<Uint8Array> {
  let least = input;
  let tries = 0;
  for (let isSmaller = true; isSmaller;) {
    isSmaller = false;
    for (const smaller of smallerInputs(least)) {
      if (tries >= triesMax) return least;
      tries += 1;
      if (!(await fails(smaller))) continue;
      least = smaller;
      isSmaller = true;
      break;
    }
  }
  return least;
}

/** Returns inputs with something left out, those with much left out first. */
function* smallerInputs(input: Uint8Array): Generator<Uint8Array> {
  const document = parsed(input);
  if (document !== undefined) yield* smallerDocuments(document, input.length);
  for (let size = Math.ceil(input.length / 2); size >= 1; size = Math.floor(size / 2))
    for (let at = 0; at < input.length; at += size)
      yield Buffer.concat([input.subarray(0, at), input.subarray(at + size)]);
}

function* smallerDocuments(document: unknown, bytesBefore: number): Generator<Uint8Array> {
  for (const path of listPaths(document)) {
    const value = valueAt(document, path);
    const inner: readonly unknown[] = typeof value === "object" && value !== null ? Object.values(value) : [];
    for (const replacement of [undefined, ...inner, 0, "", null]) {
      const smaller = Buffer.from(JSON.stringify(replaceAt(document, path, () => replacement)) ?? "null");
      if (smaller.length < bytesBefore) yield smaller;
    }
  }
}
