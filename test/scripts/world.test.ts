import { describe, expect, it } from "vitest";
import { render } from "../kit/pictures/render.js";
import { shapes, type Scene, type Thing } from "../kit/pictures/scene.js";
import { captionOf, isHeldOut } from "../kit/pictures/sentences.js";

/**
 * The captions and drawings of scripts/train/shapes for the same scenes: pixels covered by a shape of radius
 * 32.
 */
const areas: Readonly<Record<string, number>> = {
  ...{ circle: 3216, square: 2948, triangle: 1843, diamond: 1725, star: 1523 },
  ...{ heart: 2111, cross: 1966, ring: 2208, moon: 1364, arrow: 1478 },
};

const thing = (given: Partial<Thing>): Thing => ({
  ...{ shape: "circle", color: "red", size: "large", cell: 4, x: 0.5, y: 0.5, radius: 0.25 },
  ...{ rgb: [222, 40, 40], ...given },
});
const sceneOf = (ground: Scene["ground"], ...things: readonly Thing[]): Scene => ({
  ...{ ground, things },
  groundRgb: [252, 252, 252],
});

describe("the evaluation generates the world that the built-in models were trained on", () => {
  it("with the same captions", () => {
    const cross = thing({ shape: "cross", color: "orange", size: "small", cell: 1 });
    const moon = thing({ shape: "moon", color: "gray", cell: 3 });
    const star = thing({ shape: "star", size: "small", cell: 6 });
    expect(captionOf(sceneOf("blue", cross, moon, star, { ...cross, cell: 8 }))).toBe(
      "two small orange crosses, a large gray moon on the left and a small red star at the bottom left on a blue background",
    );
    expect(captionOf(sceneOf("orange", thing({})))).toBe(
      "a large red circle in the centre on an orange background",
    );
  });

  it.each([...shapes])("with the same shapes: %s", (shape) => {
    const { rgb } = render(sceneOf("white", thing({ shape })), 128);
    let covered = 0;
    for (let at = 1; at < rgb.length; at += 3) covered += (252 - (rgb[at] ?? 0)) / 212;
    expect(Math.abs(covered / (areas[shape] ?? 0) - 1)).toBeLessThan(0.02);
  });

  it("with the same held-out scenes", () => {
    const heldOut = [
      "red",
      "orange",
      "yellow",
      "green",
      "blue",
      "purple",
      "pink",
      "brown",
      "black",
      "gray",
    ].filter((color) => isHeldOut(`a large ${color} square in the centre on a white background`));
    expect(heldOut).toEqual(["red", "yellow", "green"]);
  });
});
