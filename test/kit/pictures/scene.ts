/**
 * The world that the captioner and the painter were trained on, as in scripts/train/shapes/world.py: one to
 * four flat shapes in distinct cells of a three by three grid. Texts are in sign.ts.
 */

export type Rgb = readonly [red: number, green: number, blue: number];

/** The values of each colour: first the one that the painter uses, then others with the same name. */
const palette = {
  red: [
    [222, 40, 40],
    [255, 0, 0],
    [200, 20, 30],
    [220, 60, 60],
  ],
  orange: [
    [245, 140, 30],
    [255, 165, 0],
    [255, 128, 0],
    [240, 120, 20],
  ],
  yellow: [
    [250, 220, 50],
    [255, 255, 0],
    [255, 230, 0],
    [240, 215, 70],
  ],
  green: [
    [50, 160, 70],
    [0, 128, 0],
    [0, 200, 0],
    [0, 255, 0],
    [60, 180, 60],
  ],
  blue: [
    [45, 95, 220],
    [0, 0, 255],
    [30, 60, 200],
    [60, 120, 230],
  ],
  purple: [
    [135, 55, 175],
    [128, 0, 128],
    [150, 60, 190],
    [110, 40, 150],
  ],
  pink: [
    [250, 140, 185],
    [255, 192, 203],
    [255, 105, 180],
    [250, 160, 200],
  ],
  brown: [
    [125, 75, 35],
    [139, 69, 19],
    [110, 65, 30],
    [150, 90, 50],
  ],
  black: [
    [15, 15, 15],
    [0, 0, 0],
    [30, 30, 30],
  ],
  gray: [
    [130, 130, 130],
    [128, 128, 128],
    [150, 150, 150],
    [110, 110, 110],
  ],
  white: [
    [252, 252, 252],
    [255, 255, 255],
    [245, 245, 245],
  ],
} as const satisfies Readonly<Record<string, readonly Rgb[]>>;

export type Color = keyof typeof palette;

export const shapes = [
  ...["circle", "square", "triangle", "diamond", "star"],
  ...["heart", "cross", "ring", "moon", "arrow"],
] as const;
type Size = "small" | "large";

/**
 * One object. Position and radius are fractions of the picture's side; cells count from 0 to 8 in reading
 * order.
 */
export interface Thing {
  readonly shape: string;
  readonly color: Color;
  readonly size: Size;
  readonly cell: number;
  readonly x: number;
  readonly y: number;
  readonly radius: number;
  readonly rgb: Rgb;
}

export interface Scene {
  /** In reading order. */
  readonly things: readonly Thing[];
  readonly ground: Color;
  readonly groundRgb: Rgb;
}

/** Returns a number from 0 (inclusive) to 1 (exclusive). */
export type Chance = () => number;

export interface SceneTerms {
  /** Whether colours vary instead of being the world's own. */
  readonly freeColors: boolean;
  /** The largest radius of a single large thing in the centre. */
  readonly largeMax: number;
}

export const colors = Object.keys(palette) as Color[];
const groundWeights: Partial<Record<Color, number>> = { white: 8, black: 3 };
const countWeights = [32, 28, 22, 18];

/** Returns a random scene with the distribution of the training. */
export function drawScene(chance: Chance, terms: SceneTerms): Scene {
  const ground =
    colors[
      weighted(
        chance,
        colors.map((color) => groundWeights[color] ?? 1),
      )
    ] ?? "white";
  const count = 1 + weighted(chance, countWeights);
  const cells = count === 1 && chance() >= 0.7 ? [4] : someCells(chance, count);
  const kinds = drawKinds(chance, count, ground);
  const things = kinds.map((kind, index) => place(chance, kind, cells[index] ?? 4, count === 1, terms));
  return { things, ground, groundRgb: rgbOf(chance, ground, terms) };
}

type Kind = Pick<Thing, "shape" | "color" | "size">;

/** In a third of the scenes with several things, some are equal. */
function drawKinds(chance: Chance, count: number, ground: Color): readonly Kind[] {
  const free = colors.filter((color) => color !== ground);
  const fresh = (): Kind => ({
    size: pick(chance, ["small", "large"] as const),
    color: pick(chance, free),
    shape: pick(chance, shapes),
  });
  if (count < 2 || chance() < 0.65) return Array.from({ length: count }, fresh);
  const alike = chance() < 0.6 ? count : 2 + Math.floor(chance() * (count - 1));
  const one = fresh();
  const kinds = Array.from({ length: count }, (_, index) => (index < alike ? one : fresh()));
  return shuffled(chance, kinds);
}

function place(chance: Chance, kind: Kind, cell: number, alone: boolean, terms: SceneTerms): Thing {
  const largest = alone ? (cell === 4 ? terms.largeMax : 0.2) : 0.155;
  const radius = kind.size === "small" ? within(chance, 0.075, 0.095) : within(chance, 0.135, largest);
  const inside = (at: number): number => Math.min(Math.max(at, radius + 0.012), 1 - radius - 0.012);
  const x = inside(((cell % 3) + 0.5) / 3 + within(chance, -0.03, 0.03));
  const y = inside((Math.floor(cell / 3) + 0.5) / 3 + within(chance, -0.03, 0.03));
  return { ...kind, cell, x, y, radius, rgb: rgbOf(chance, kind.color, terms) };
}

/** Returns a value of the colour. */
export function rgbOf(chance: Chance, color: Color, { freeColors }: Pick<SceneTerms, "freeColors">): Rgb {
  const values: readonly Rgb[] = palette[color];
  if (!freeColors) return palette[color][0];
  const spread = ["black", "white", "gray"].includes(color) ? 5 : 14;
  const shift = Math.round(within(chance, -spread, spread));
  const shade = (value: number): number =>
    Math.min(255, Math.max(0, value + shift + Math.round(within(chance, -6, 6))));
  const [red, green, blue] = pick(chance, values);
  return [shade(red), shade(green), shade(blue)];
}

function someCells(chance: Chance, count: number): readonly number[] {
  const all = shuffled(
    chance,
    Array.from({ length: 9 }, (_, cell) => cell),
  );
  return all.slice(0, count).toSorted((a, b) => a - b);
}

export function shuffled<T>(chance: Chance, items: readonly T[]): readonly T[] {
  return items
    .map((item) => ({ item, at: chance() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ item }) => item);
}

/** @throws Error for an empty list */
export function pick<T>(chance: Chance, items: readonly T[]): T {
  const item = items[Math.floor(chance() * items.length)];
  if (item === undefined) throw new Error("nothing to pick from");
  return item;
}

export function within(chance: Chance, from: number, to: number): number {
  return from + (to - from) * chance();
}

/** Returns a random index with probability proportional to its weight. */
function weighted(chance: Chance, weights: readonly number[]): number {
  let left = chance() * weights.reduce((sum, weight) => sum + weight, 0);
  const found = weights.findIndex((weight) => (left -= weight) < 0);
  return Math.max(0, found);
}
