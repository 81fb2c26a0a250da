import { join } from "node:path";
import { getLlama, LlamaLogLevel } from "node-llama-cpp";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Model } from "../../../src/core/model.js";
import type { JobNews, SeededJob } from "../../../src/engine/llama/protocol.js";
import { loadResident, type Resident } from "../../../src/engine/llama/resident.js";
import { TickLoop } from "../../../src/engine/llama/tick.js";
import { loadRegistry } from "../../../src/models/registry.js";
import { writeModel } from "../../gguf-writer.js";
import { temporaryFolder } from "../../harness.js";

const slots = 8;

/** A random model with eight slots, loaded in this thread so that its batches can be looked at. */
async function residentWithEightSlots(): Promise<Resident> {
  const folder = temporaryFolder();
  await writeModel(join(folder, "random.gguf"), { contextLength: 512 });
  const registry = await loadRegistry({ folders: [folder], contextTokensMax: 512 });
  const model = registry.find("random") as Model;
  const llama = await getLlama({ gpu: false, build: "never", logLevel: LlamaLogLevel.error, maxThreads: 1 });
  const settings = {
    cores: 1,
    threads: 1,
    slotsPerModel: slots,
    contextTokensMax: 512,
    prefillChunkTokens: 64,
    gpu: "off",
  } as const;
  const resident = await loadResident(llama, model, settings);
  onTestFinished(async () => {
    await resident.dispose();
    await llama.dispose();
  });
  return resident;
}

/** The addon's context is not in the library's types; this contract is about what really reaches it. */
interface NativeContext {
  initBatch(size: number): void;
  addToBatch(sequence: number, first: number, tokens: Uint32Array, logits: Uint32Array): unknown;
}

interface BatchItem {
  readonly sequence: number;
  readonly tokens: number;
}

/** Records every batch that is handed to llama.cpp. */
function recordBatches(resident: Resident): BatchItem[][] {
  const context = resident.sequences[0]?.context as unknown as { _ctx: NativeContext };
  const native = context._ctx;
  const batches: BatchItem[][] = [];
  const watched: Partial<NativeContext> = {
    initBatch(size) {
      batches.push([]);
      native.initBatch(size);
    },
    addToBatch(sequence, first, tokens, logits) {
      batches.at(-1)?.push({ sequence, tokens: tokens.length });
      return native.addToBatch(sequence, first, tokens, logits);
    },
  };
  context._ctx = new Proxy(native, {
    get(target, name: keyof NativeContext) {
      const member: unknown = watched[name] ?? target[name];
      return typeof member === "function" ? (member.bind(target) as unknown) : member;
    },
  });
  return batches;
}

function job(promptTokens: number, maxTokens: number): SeededJob {
  return {
    prompt: {
      tokens: Uint32Array.from({ length: promptTokens }, (_, at) => 40 + (at % 50)),
      startsInReasoning: false,
    },
    teamId: "team",
    sampling: { temperature: 1, topP: 1, seed: 1, frequencyPenalty: 0, presencePenalty: 0 },
    seed: promptTokens,
    stop: [],
    maxTokens,
    maxTokensExcludesReasoning: false,
  };
}

/** Runs the jobs to their ends. */
async function play(resident: Resident, jobs: readonly SeededJob[]): Promise<readonly JobNews[]> {
  const all: JobNews[] = [];
  await new Promise<void>((resolve) => {
    let open = jobs.length;
    const loop = new TickLoop(64, (news) => {
      all.push(...news);
      open -= news.filter((item) => item.done).length;
      if (open === 0) resolve();
    });
    jobs.forEach((next, index) => loop.submit(resident, index, next));
  });
  return all;
}

describe("the lock-step loop (a contract with the library: an upgrade must not lose it)", () => {
  it("decodes eight generations as batches of eight, in ascending sequence order", async () => {
    const resident = await residentWithEightSlots();
    const batches = recordBatches(resident);
    const news = await play(
      resident,
      Array.from({ length: slots }, (_, index) => job(8 + index, 40)),
    );
    expect(news.filter((item) => item.error !== null)).toEqual([]);
    const decodes = batches.filter((batch) => batch.every((item) => item.tokens === 1));
    const full = decodes.filter((batch) => batch.length === slots);
    expect(full.length).toBeGreaterThanOrEqual(20);
    expect(full.length / decodes.length).toBeGreaterThan(0.8);
    for (const batch of decodes) {
      const order = batch.map((item) => item.sequence);
      expect(order).toEqual([...order].sort((a, b) => a - b));
    }
  });

  it("evaluates a long prompt in chunks beside a neighbour, who gets a token with every chunk", async () => {
    const resident = await residentWithEightSlots();
    const batches = recordBatches(resident);
    await play(resident, [job(8, 60), job(400, 4)]);
    const sizes = batches.map((batch) => batch.reduce((sum, item) => sum + item.tokens, 0));
    expect(Math.max(...sizes)).toBeLessThanOrEqual(64 + slots);
    const chunks = batches.filter((batch) => batch.some((item) => item.tokens > 1 && item.sequence !== 0));
    expect(chunks.length).toBeGreaterThanOrEqual(6);
    for (const batch of chunks.slice(1)) expect(batch.some((item) => item.sequence === 0)).toBe(true);
  });
});
