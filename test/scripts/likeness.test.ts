import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { sizeless, unlike } from "../../scripts/train/eval-builtin/likeness.js";
import { drawRequest, groundings, openings } from "../../scripts/train/eval-builtin/picture-requests.js";
import { isHeldOut } from "../kit/pictures/sentences.js";
import { captionOfSign, drawSign, hasFonts, renderSign } from "../../scripts/train/eval-builtin/sign.js";
import { seeded } from "../kit/models/gguf-writer/weights.js";
import { root } from "../kit/folder.js";

describe("the loose requests to the painter", () => {
  it("are held out of training and always the same", () => {
    const some = (): readonly string[] => {
      const chance = seeded(4);
      return Array.from({ length: 200 }, () => drawRequest(chance).prompt);
    };
    expect(some().every((prompt) => isHeldOut(prompt.toLowerCase()))).toBe(true);
    expect(new Set(some()).size).toBeGreaterThan(190);
    expect(some()).toEqual(some());
  });

  it("use words that no template of the training has", async () => {
    const training = await readFile(`${root}/scripts/train/shapes/sentences.py`, "utf8");
    const told = [...openings, ...groundings].flatMap((template) =>
      template.split(/\{\w*\}|[.,!?]/).filter((part) => part.trim().length > 3 && part.trim() !== "please"),
    );
    expect(told.filter((part) => training.includes(part))).toEqual([]);
  });
});

describe("the comparison of a caption with a request", () => {
  const star = { count: 1, size: null, color: "red", shape: "star", cell: null } as const;
  const rings = { count: 2, size: "small", color: "blue", shape: "ring", cell: null } as const;
  const caption = "a large red star at the top left and two small blue rings on an orange background";

  it("ignores what the request leaves open", () => {
    expect(unlike(caption, { prompt: "", things: [rings, star], ground: null })).toEqual([]);
    expect(unlike(caption, { prompt: "", things: [{ ...star, cell: 0 }, rings], ground: "orange" })).toEqual(
      [],
    );
  });

  it("reports what is missing, what is superfluous, and a wrong ground", () => {
    expect(unlike(caption, { prompt: "", things: [star], ground: "red" })).toEqual([
      "has two small blue rings",
      "is not on red",
    ]);
    const things = [
      { ...star, size: "small" },
      { ...rings, count: 3 },
    ] as const;
    expect(unlike(caption, { prompt: "", things, ground: null })).toEqual([
      "lacks red star",
      "lacks blue rings",
      "has a large red star at the top left",
      "has two small blue rings",
    ]);
  });

  it("omits sizes where they do not count", () => {
    expect(sizeless(caption)).toBe("a red star at the top left and two blue rings on an orange background");
  });
});

const canWrite = await hasFonts();

describe("a sign", () => {
  const sign = { ...drawSign(seeded(3)), text: "42", color: "black", ground: "orange" } as const;

  it("has a caption in the captioner's language", () => {
    expect(captionOfSign(sign)).toBe("the number 42 in black on an orange background");
  });

  it.runIf(canWrite)("is written in its two colours", async () => {
    const { rgb } = await renderSign({ ...sign, rgb: [0, 0, 0], groundRgb: [255, 128, 0] }, 64);
    const reds = rgb.filter((_, at) => at % 3 === 0);
    expect([Math.min(...reds), reds[0]]).toEqual([0, 255]);
    expect(reds.filter((red) => red < 128).length / reds.length).toBeLessThan(0.4);
  });
});
