/**
 * `npm run bench -- engine [--large]`: measures how much of the engine's speed reaches a client over HTTP,
 * with random weights of realistic shape. It compares with llama-server as well, where that was built
 * (`npm run build:llama-server`) or LLAMA_SERVER names it.
 */
import { threadsFor, usableCores } from "../../../src/engine/worker/machine.js";
import { fairnessRows } from "./engine/fairness.js";
import { gapRows } from "./engine/gap.js";
import { speedRows } from "./engine/speed.js";
import { writeBenchModel } from "../world/models.js";
import type { SectionOptions } from "./options.js";
import { toRow, type Row } from "../figures/table.js";

const efforts = {
  small: {
    speed: { rounds: 5, decodeTokens: 256 },
    gap: { rounds: 4, tokensBefore: 100 },
    fairness: { requests: 60, tokensPerAnswer: 32 },
  },
  large: {
    speed: { rounds: 3, decodeTokens: 64 },
    gap: { rounds: 2, tokensBefore: 30 },
    fairness: { requests: 24, tokensPerAnswer: 16 },
  },
} as const;

/**
 * Yields rows as soon as they are measured: minutes with the small model, a quarter of an hour with the large
 * one.
 */
export async function* engineSection({ large }: SectionOptions): AsyncGenerator<readonly Row[]> {
  const size = large ? "large" : "small";
  const model = await writeBenchModel(size);
  const threads = threadsFor(model.bytes, usableCores());
  const cores = usableCores();
  const terms = { slots: 16, contextTokens: 1024, threads, cores, chunkTokens: 128 };
  const effort = efforts[size];
  const about = `${(model.bytes / 1e6).toFixed(0)} MB, Q8_0, ${threads} of ${cores} threads in the raw loop`;
  yield [toRow(`model ${model.id}`, about)];
  yield* speedRows(model, terms, effort.speed, large);
  yield await gapRows(model, effort.gap);
  yield await fairnessRows(model, effort.fairness);
}
