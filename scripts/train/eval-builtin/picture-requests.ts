/**
 * Requests for a picture that are looser than a caption, in templates of their own (the training's are in
 * scripts/train/shapes/sentences.py). Some omit the size, the places or the ground, some give the relative
 * position of two things. Only held-out texts are used.
 */
import type { Color, Chance } from "../../../test/kit/pictures/scene.js";
import { colors, pick, shapes, shuffled } from "../../../test/kit/pictures/scene.js";
import { articleOf, isHeldOut, numbers, placeOf, pluralOf } from "../../../test/kit/pictures/sentences.js";

/** A group of equal things in a request; `cell` and `size` are null if the request leaves them open. */
export interface Wanted {
  readonly count: number;
  readonly size: "small" | "large" | null;
  readonly color: Color;
  readonly shape: string;
  readonly cell: number | null;
}

export interface PictureRequest {
  readonly prompt: string;
  readonly things: readonly Wanted[];
  readonly ground: Color | null;
}

/** Returns a request for one to four things with a held-out text. */
export function drawRequest(chance: Chance): PictureRequest {
  for (;;) {
    const request = anyRequest(chance);
    if (isHeldOut(request.prompt.toLowerCase())) return request;
  }
}

/** Templates; `{}` is replaced by the description of the picture. */
export const openings: readonly string[] = [
  ...["Could you draw {}?", "I would like {}.", "Make me {}, please.", "An icon showing {}", "Just {}"],
  ...["A drawing with {}", "Paint me {}!", "Can I have {}?", "Create an image with {}", "{}, please"],
];

/** Templates for the ground. */
export const groundings: readonly string[] = [
  ...["{list} with everything else {ground}", "{list}, all on plain {ground}"],
  ...["{list} on a flat {ground} surface", "{list}, the background being {ground}"],
];

function anyRequest(chance: Chance): PictureRequest {
  const ground = chance() < 0.6 ? pick(chance, colors) : null;
  const kinds = someKinds(chance, ground);
  const { list, things } =
    kinds.length === 2 && chance() < 0.25 ? related(chance, kinds) : listed(chance, kinds);
  const picture =
    ground === null ? list : pick(chance, groundings).replace("{list}", list).replace("{ground}", ground);
  return { prompt: pick(chance, openings).replace("{}", picture), things, ground };
}

type Kind = Omit<Wanted, "cell" | "count">;

/** Returns things whose colours differ from the ground, which is white by default. */
function someKinds(chance: Chance, ground: Color | null): readonly Kind[] {
  const free = colors.filter((color) => color !== (ground ?? "white"));
  const count = pick(chance, [1, 1, 1, 2, 2, 3]);
  const someColors = shuffled(chance, free).slice(0, count);
  return someColors.map((color) => ({
    size: pick(chance, ["small", "large", null, null] as const),
    color,
    shape: pick(chance, shapes),
  }));
}

/**
 * Describes all things with their places, or none; only a single kind can be several things, which have no
 * place.
 */
function listed(chance: Chance, kinds: readonly Kind[]): Pick<PictureRequest, "things"> & { list: string } {
  const count = kinds.length === 1 && chance() < 0.4 ? pick(chance, [2, 3, 4]) : 1;
  const placed = count === 1 && chance() < 0.5;
  const cells = shuffled(chance, [0, 1, 2, 3, 4, 5, 6, 7, 8]);
  const things = kinds.map((kind, at) => ({ ...kind, count, cell: placed ? (cells[at] ?? 4) : null }));
  return { list: things.map(worded).join(" and "), things };
}

function worded({ count, size, color, shape, cell }: Wanted): string {
  const noun = [size, color, count > 1 ? pluralOf(shape) : shape].filter((word) => word !== null).join(" ");
  const place = cell === null ? "" : ` ${placeOf(cell)}`;
  return `${count > 1 ? (numbers[count] ?? "") : articleOf(noun)} ${noun}${place}`;
}

/** Describes two things of which one is above or next to the other. */
function related(chance: Chance, kinds: readonly Kind[]): Pick<PictureRequest, "things"> & { list: string } {
  const [words, cells] = pick(chance, [
    ["above", [1, 7]],
    ["below", [7, 1]],
    ["to the left of", [3, 5]],
    ["to the right of", [5, 3]],
  ] as const);
  const things = kinds.map((kind): Wanted => ({ ...kind, count: 1, cell: null }));
  const list = things.map(worded).join(` ${words} `);
  return { list, things: things.map((thing, at) => ({ ...thing, cell: cells[at] ?? null })) };
}
