import { describe, expect, it } from "vitest";
import { createDenoiser, guidanceEmbedding } from "../../../src/engine/images/denoiser.js";
import type { Graph, Numbers } from "../../../src/engine/images/graph.js";

type Feeds = Parameters<Graph["run"]>[0];

const numbers = (shape: readonly number[], ...data: readonly number[]): Numbers => ({
  data: Float32Array.from(data),
  shape,
});

/** A denoiser that says what it is told of the text, whatever the sample. */
function graphOf(shapes: Readonly<Record<string, readonly (number | string)[]>>) {
  const asked: Feeds[] = [];
  const graph: Graph = {
    shapeOf: (input) => shapes[input] ?? null,
    run: (feeds) => {
      asked.push(feeds);
      return Promise.resolve(feeds["encoder_hidden_states"] as Numbers);
    },
    release: () => Promise.resolve(),
  };
  return { graph, asked };
}

const sample = numbers([1, 1, 1, 2], 5, 6);
const texts = { prompt: numbers([1, 1, 2], 3, 10), nothing: numbers([1, 1, 2], 1, 2) };

describe("guidance", () => {
  it("leads away from what is said without the text: nothing + scale * (prompt - nothing), both looked at together", async () => {
    const { graph, asked } = graphOf({ sample: ["batch_size", 1, 1, 2] });
    const denoiser = createDenoiser(graph, { guidanceScale: 7.5, guidanceNumbers: null });
    expect(denoiser.isGuidedByContrast).toBe(true);
    expect([...(await denoiser.predict({ sample, timestep: 999, texts }))]).toEqual([
      1 + 7.5 * 2,
      2 + 7.5 * 8,
    ]);
    expect(asked).toEqual([
      {
        sample: numbers([2, 1, 1, 2], 5, 6, 5, 6),
        timestep: 999,
        encoder_hidden_states: numbers([2, 1, 2], 1, 2, 3, 10),
      },
    ]);
  });

  it("is the same where an export takes but one image at a time", async () => {
    const { graph, asked } = graphOf({ sample: [1, 1, 1, 2] });
    const denoiser = createDenoiser(graph, { guidanceScale: 7.5, guidanceNumbers: null });
    expect([...(await denoiser.predict({ sample, timestep: 999, texts }))]).toEqual([16, 62]);
    expect(asked).toHaveLength(2);
  });

  it("is told as numbers to a model that was trained with it, which looks once", async () => {
    const { graph, asked } = graphOf({ sample: ["b", 1, 1, 2], timestep_cond: ["b", 4] });
    const denoiser = createDenoiser(graph, { guidanceScale: 8.5, guidanceNumbers: 4 });
    expect(denoiser.isGuidedByContrast).toBe(false);
    const told = await denoiser.predict({ sample, timestep: 999, texts: { ...texts, nothing: null } });
    expect([...told]).toEqual([3, 10]);
    expect(asked[0]?.["timestep_cond"]).toEqual(guidanceEmbedding(7.5, 4));
  });

  it("is left out for a model that was distilled without", () => {
    const { graph } = graphOf({ sample: ["b", 1, 1, 2] });
    expect(createDenoiser(graph, { guidanceScale: 0, guidanceNumbers: null }).isGuidedByContrast).toBe(false);
  });

  it("as numbers is sines and cosines from a thousand times the scale down to a ten-thousandth of it", () => {
    // diffusers' get_guidance_scale_embedding: 1000 w * 10000^(-i / (half - 1)).
    const [angle, small] = [7500, 0.75];
    const expected = [Math.sin(angle), Math.sin(small), Math.cos(angle), Math.cos(small)];
    expected.forEach((value, at) => expect(guidanceEmbedding(7.5, 4)[at]).toBeCloseTo(value, 9));
    expect(guidanceEmbedding(7.5, 5)).toHaveLength(5);
    expect(guidanceEmbedding(7.5, 5).at(-1)).toBe(0);
  });
});
