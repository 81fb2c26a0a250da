/**
 * Renders scenes to pixels as scripts/train/shapes/render.py does: the coverage of a pixel follows from its
 * distance to the shape's edge.
 */
import type { DecodedImage } from "../../../src/core/images/images.js";
import type { Scene, Thing } from "./scene.js";

/** The signed distance to the edge of a shape of radius 1, in units of the radius; negative inside. */
type Distance = (x: number, y: number) => number;
type Point = readonly [x: number, y: number];

/** Renders a scene as a square picture of this size. */
export function render(scene: Scene, side: number): DecodedImage {
  const rgb = new Uint8Array(side * side * 3);
  for (let at = 0; at < rgb.length; at += 3) rgb.set(scene.groundRgb, at);
  for (const thing of scene.things) draw(rgb, side, thing);
  return { width: side, height: side, rgb };
}

function draw(rgb: Uint8Array, side: number, { shape, x, y, radius, rgb: color }: Thing): void {
  const distance = distances[shape];
  if (distance === undefined) throw new Error(`no shape '${shape}'`);
  const length = radius * side;
  const reach = Math.ceil(length * 1.2) + 1;
  const [left, top] = [Math.floor(x * side), Math.floor(y * side)];
  for (let row = Math.max(0, top - reach); row < Math.min(side, top + reach); row += 1)
    for (let column = Math.max(0, left - reach); column < Math.min(side, left + reach); column += 1) {
      const away = distance((column + 0.5 - x * side) / length, (row + 0.5 - y * side) / length) * length;
      const share = Math.min(1, Math.max(0, 0.5 - away));
      if (share === 0) continue;
      const at = (row * side + column) * 3;
      for (const [channel, value] of color.entries()) {
        const under = rgb[at + channel] ?? 0;
        rgb[at + channel] = Math.round(under + share * (value - under));
      }
    }
}

function polygon(corners: readonly Point[]): Distance {
  const edges = corners.map((start, index) => {
    const end = corners[(index + 1) % corners.length] ?? start;
    return { start, along: [end[0] - start[0], end[1] - start[1]] as const };
  });
  return (x, y) => {
    let [nearest, inside] = [Number.POSITIVE_INFINITY, false];
    for (const { start, along } of edges) {
      const [px, py] = [x - start[0], y - start[1]];
      const share = (px * along[0] + py * along[1]) / (along[0] ** 2 + along[1] ** 2);
      const at = Math.min(1, Math.max(0, share));
      nearest = Math.min(nearest, Math.hypot(px - along[0] * at, py - along[1] * at));
      const crosses = py >= 0 !== py - along[1] >= 0;
      if (crosses && px < (py * along[0]) / along[1]) inside = !inside;
    }
    return inside ? -nearest : nearest;
  };
}

/** Returns corners on circles of the given radii in turn; `start` in degrees, 0 to the right, clockwise. */
function regular(count: number, start: number, radii: readonly number[]): readonly Point[] {
  return Array.from({ length: count }, (_, index): Point => {
    const [angle, radius] = [
      (start + (360 * index) / count) * (Math.PI / 180),
      radii[index % radii.length] ?? 1,
    ];
    return [radius * Math.cos(angle), radius * Math.sin(angle)];
  });
}

function heart(): readonly Point[] {
  return Array.from({ length: 40 }, (_, index): Point => {
    const t = (2 * Math.PI * index) / 40;
    const height = 13 * Math.cos(t) - 5 * Math.cos(2 * t) - 2 * Math.cos(3 * t) - Math.cos(4 * t);
    return [(16 * Math.sin(t) ** 3) / 16.5, (-height - 2.5) / 16.5];
  });
}

function cross(arm: number, end: number): readonly Point[] {
  const half: readonly Point[] = [
    ...([
      [arm, -end],
      [arm, -arm],
      [end, -arm],
    ] as const),
    ...([
      [end, arm],
      [arm, arm],
      [arm, end],
    ] as const),
  ];
  return [...half, ...half.map(([x, y]): Point => [-x, -y])];
}

const distances: Readonly<Record<string, Distance>> = {
  circle: (x, y) => Math.hypot(x, y) - 1,
  ring: (x, y) => Math.abs(Math.hypot(x, y) - 0.78) - 0.22,
  moon: (x, y) => Math.max(Math.hypot(x, y) - 1, 0.86 - Math.hypot(x - 0.48, y)),
  square: polygon(regular(4, 45, [1.2])),
  diamond: polygon([
    [0, -1.08],
    [0.78, 0],
    [0, 1.08],
    [-0.78, 0],
  ]),
  triangle: polygon([
    [0, -1],
    [1, 0.8],
    [-1, 0.8],
  ]),
  star: polygon(regular(10, -90, [1.1, 0.46])),
  heart: polygon(heart()),
  cross: polygon(cross(0.3, 0.95)),
  arrow: polygon([
    ...([
      [0.98, 0],
      [0.1, -0.88],
      [0.1, -0.32],
      [-0.95, -0.32],
    ] as const),
    ...([
      [-0.95, 0.32],
      [0.1, 0.32],
      [0.1, 0.88],
    ] as const),
  ]),
};
