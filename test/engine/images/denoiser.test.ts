import { describe, expect, it } from "vitest";
import { createDenoiser, guidanceEmbedding } from "../../../src/engine/images/denoiser.js";
import type { Graph, FloatTensor } from "../../../src/engine/images/graph.js";

type Feeds = Parameters<Graph["run"]>[0];

const numbers = (shape: readonly number[], ...data: readonly number[]): FloatTensor => ({
  data: Float32Array.from(data),
  shape,
});

/** A denoiser whose output depends on the text only. */
function graphOf(shapes: Readonly<Record<string, readonly (number | string)[]>>) {
  const asked: Feeds[] = [];
  const graph: Graph = {
    shapeOf: (input) => shapes[input] ?? null,
    run: (feeds) => {
      asked.push(feeds);
      return Promise.resolve(feeds["encoder_hidden_states"] as FloatTensor);
    },
    release: () => Promise.resolve(),
  };
  return { graph, asked };
}

const sample = numbers([1, 1, 1, 2], 5, 6);
const texts = { prompt: numbers([1, 1, 2], 3, 10), empty: numbers([1, 1, 2], 1, 2) };

describe("guidance", () => {
  it("without a guidance input is empty + scale * (prompt - empty), both run in one batch", async () => {
    const { graph, asked } = graphOf({ sample: ["batch_size", 1, 1, 2] });
    const denoiser = createDenoiser(graph, { guidanceScale: 7.5, guidanceEmbeddingSize: null });
    expect(denoiser.usesClassifierFreeGuidance).toBe(true);
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

  it("is the same for an export with a batch size of one", async () => {
    const { graph, asked } = graphOf({ sample: [1, 1, 1, 2] });
    const denoiser = createDenoiser(graph, { guidanceScale: 7.5, guidanceEmbeddingSize: null });
    expect([...(await denoiser.predict({ sample, timestep: 999, texts }))]).toEqual([16, 62]);
    expect(asked).toHaveLength(2);
  });

  it("is an input of a model that was trained with it, which runs once per step", async () => {
    const { graph, asked } = graphOf({ sample: ["b", 1, 1, 2], timestep_cond: ["b", 4] });
    const denoiser = createDenoiser(graph, { guidanceScale: 8.5, guidanceEmbeddingSize: 4 });
    expect(denoiser.usesClassifierFreeGuidance).toBe(false);
    const told = await denoiser.predict({ sample, timestep: 999, texts: { ...texts, empty: null } });
    expect([...told]).toEqual([3, 10]);
    expect(asked[0]?.["timestep_cond"]).toEqual(guidanceEmbedding(7.5, 4));
  });

  it("is omitted for a model that was distilled without it", () => {
    const { graph } = graphOf({ sample: ["b", 1, 1, 2] });
    expect(
      createDenoiser(graph, { guidanceScale: 0, guidanceEmbeddingSize: null }).usesClassifierFreeGuidance,
    ).toBe(false);
  });

  it("is embedded as sines and cosines from a thousand times the scale down to a ten-thousandth of that", () => {
    // diffusers' get_guidance_scale_embedding: 1000 w * 10000^(-i / (half - 1)).
    const [angle, small] = [7500, 0.75];
    const expected = [Math.sin(angle), Math.sin(small), Math.cos(angle), Math.cos(small)];
    expected.forEach((value, at) => expect(guidanceEmbedding(7.5, 4)[at]).toBeCloseTo(value, 9));
    expect(guidanceEmbedding(7.5, 5)).toHaveLength(5);
    expect(guidanceEmbedding(7.5, 5).at(-1)).toBe(0);
  });
});
