import { crc32 } from "node:zlib";
import type { Scene, Thing } from "./scene.js";

export const numbers = ["", "a", "two", "three", "four"];
const rows = ["top", "", "bottom"];
const columns = ["left", "", "right"];

/** Returns the unique caption of a scene, as scripts/train/shapes/sentences.py words it. */
export function captionOf(scene: Scene): string {
  const phrases = groupsOf(scene).map(phraseOf);
  const last = phrases.at(-1) ?? "";
  const listed = phrases.length < 2 ? last : `${phrases.slice(0, -1).join(", ")} and ${last}`;
  return `${listed} on ${articleOf(scene.ground)} ${scene.ground} background`;
}

/** Returns colour and shape of all things, such as `red circle`, and `red circles` for several equal ones. */
export function nounsOf(scene: Scene): readonly string[] {
  return groupsOf(scene).map(([first, ...more]) =>
    more.length === 0 ? `${first.color} ${first.shape}` : `${first.color} ${pluralOf(first.shape)}`,
  );
}

/** Returns whether scenes with this caption are held out of training: one in eight, by checksum. */
export function isHeldOut(caption: string): boolean {
  return crc32(caption) % 8 === 0;
}

type Group = readonly [Thing, ...Thing[]];

/** Groups equal things, in the order of their first. */
function groupsOf({ things }: Scene): readonly Group[] {
  const groups = new Map<string, Group>();
  for (const thing of things) {
    const kind = `${thing.size} ${thing.color} ${thing.shape}`;
    const group = groups.get(kind);
    groups.set(kind, group === undefined ? [thing] : [...group, thing]);
  }
  return [...groups.values()];
}

function phraseOf([first, ...more]: Group): string {
  const { size, color, shape, cell } = first;
  if (more.length > 0) return `${numbers[more.length + 1] ?? ""} ${size} ${color} ${pluralOf(shape)}`;
  return `a ${size} ${color} ${shape} ${placeOf(cell)}`;
}

export function placeOf(cell: number): string {
  const [row, column] = [rows[Math.floor(cell / 3)] ?? "", columns[cell % 3] ?? ""];
  if (row === "") return column === "" ? "in the centre" : `on the ${column}`;
  return `at the ${row} ${column}`.trimEnd();
}

export function pluralOf(shape: string): string {
  return shape === "cross" ? "crosses" : `${shape}s`;
}

export function articleOf(word: string): string {
  return /^[aeiou]/.test(word) ? "an" : "a";
}
