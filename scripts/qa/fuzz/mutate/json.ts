import { changeBytes, type Material } from "./bytes.js";

type Path = readonly (string | number)[];

const oddValues: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -0,
  1,
  -1,
  0.5,
  1e308,
  5e-324,
  2 ** 31,
  2 ** 53,
  "",
  "a",
  "\u0000",
  "\ud800",
  "\u2028",
  "🔥",
  [],
  {},
  [[]],
  { __proto__: null, constructor: 1 },
];
const oddKeys = ["", "a", "__proto__", "constructor", "toString", "0", "length", "ü"];

/** Returns a JSON document with one random change of a value or a name. A text that is not JSON is changed as bytes. */
export function changeJson(input: Uint8Array, material: Material): Uint8Array {
  const value = parsed(input);
  if (value === undefined || material.chance.happens(0.02)) return changeBytes(input, material);
  const path = material.chance.pick(listPaths(value));
  const changed = replaceAt(value, path, (old) => changeValue(old, value, material));
  return Buffer.from(JSON.stringify(changed) ?? "null");
}

/** Returns the value of a document; undefined when it is no JSON. */
export function parsed(input: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(input).toString("utf8"));
  } catch {
    return undefined;
  }
}

/** Returns the paths of all values in a document, the document itself first. */
export function listPaths(value: unknown): readonly Path[] {
  const found: Path[] = [[]];
  for (const path of found) {
    const inner = valueAt(value, path);
    for (const key of listKeys(inner)) found.push([...path, key]);
  }
  return found;
}

/** Returns a copy with another value at a path; without the member or item when the new value is undefined. */
export function replaceAt(value: unknown, path: Path, replace: (old: unknown) => unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return replace(value);
  const next = (inner: unknown): unknown => replaceAt(inner, rest, replace);
  if (Array.isArray(value))
    return value.flatMap((item: unknown, index) => (index === key ? kept(next(item)) : [item]));
  if (typeof value !== "object" || value === null) return value;
  // Object.fromEntries gives the name __proto__ no special treatment.
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) =>
      name === key
        ? kept(next(inner)).map((item) => [name, item] as const)
        : [[name, inner as unknown] as const],
    ),
  );
}

function kept(value: unknown): readonly unknown[] {
  return value === undefined ? [] : [value];
}

export function valueAt(value: unknown, path: Path): unknown {
  let inner = value;
  for (const key of path)
    inner = typeof inner === "object" && inner !== null ? Reflect.get(inner, key) : undefined;
  return inner;
}

function listKeys(value: unknown): readonly (string | number)[] {
  if (Array.isArray(value)) return [...value.keys()];
  return typeof value === "object" && value !== null ? Object.keys(value) : [];
}

function changeValue(old: unknown, document: unknown, material: Material): unknown {
  const { chance, words, other } = material;
  const kind = chance.between(0, 9);
  if (kind === 0) return undefined;
  if (kind === 1) return chance.pick(oddValues);
  if (kind === 2) return drawPart(document, material);
  if (kind === 3) return drawPart(parsed(other), material);
  if (kind === 4) return chance.happens(0.5) ? [old] : { [nameFrom(material)]: old };
  if (kind === 5 && words.length > 0) return chance.pick(words);
  if (typeof old === "string") return changedText(old, material);
  if (typeof old === "number") return changedNumber(old, material);
  if (typeof old === "boolean") return !old;
  if (Array.isArray(old)) return changedArray(old, material);
  return typeof old === "object" && old !== null ? changedObject(old, document, material) : old;
}

function drawPart(document: unknown, { chance }: Material): unknown {
  return valueAt(document, chance.pick(listPaths(document))) ?? null;
}

function nameFrom({ chance, words }: Material): string {
  return chance.pick(words.length > 0 && chance.happens(0.8) ? words : oddKeys);
}

function changedText(text: string, material: Material): string {
  const { chance, words } = material;
  const at = chance.between(0, text.length);
  if (words.length > 0 && chance.happens(0.3)) return chance.pick(words);
  if (chance.happens(0.2)) return text.repeat(chance.between(0, 5));
  if (chance.happens(0.3)) return text.slice(0, at) + text.slice(at + chance.between(1, 4));
  const inserted = chance.happens(0.5)
    ? String.fromCharCode(chance.happens(0.7) ? chance.between(0x20, 0x7e) : chance.between(0, 0xffff))
    : text.slice(at, at + chance.between(1, 4));
  return text.slice(0, at) + inserted + text.slice(at);
}

function changedNumber(number: number, { chance }: Material): number {
  const changed = chance.pick([
    number + 1,
    number - 1,
    -number,
    number * 2,
    number / 2,
    number * 1e3,
    0.1,
    1e9,
  ]);
  return Number.isFinite(changed) ? changed : 1;
}

function changedArray(array: readonly unknown[], { chance }: Material): unknown {
  const at = chance.between(0, Math.max(0, array.length - 1));
  const item = array[at] ?? null;
  if (chance.happens(0.4)) return [...array, item];
  if (chance.happens(0.1)) return Array.from({ length: chance.between(2, 40) }, () => item);
  return chance.happens(0.5) ? array.toReversed() : [...array.slice(0, at), ...array.slice(at + 1)];
}

function changedObject(object: object, document: unknown, material: Material): unknown {
  const { chance } = material;
  const entries = Object.entries(object) as (readonly [string, unknown])[];
  if (entries.length === 0 || chance.happens(0.7)) {
    const source = chance.happens(0.5) ? document : parsed(material.other);
    const value = chance.happens(0.5) ? chance.pick(oddValues) : drawPart(source, material);
    return Object.fromEntries([...entries, [nameFrom(material), value]]);
  }
  const renamed = chance.pick(entries);
  return Object.fromEntries(
    entries.map((entry) => (entry === renamed ? [nameFrom(material), entry[1]] : entry)),
  );
}
