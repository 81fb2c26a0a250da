import { writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import sharp from "sharp";
import { describe, expect, it, onTestFinished } from "vitest";
import type { ImageEngine, ImageGenerationJob } from "../../../src/core/images/image-generation.js";
import type { Model } from "../../../src/core/model.js";
import { createImageEngine } from "../../../src/engine/images/engine.js";
import { ModelMemory } from "../../../src/engine/memory/model-memory.js";
import { loadRegistry } from "../../../src/models/registry.js";
import { verifyWeights } from "../../../src/models/verify.js";
import { systemClock } from "../../../src/system/clock.js";
import { publishedModels, writeImageModel, type PublishedModel } from "../../kit/models/image-models.js";
import { temporaryFolder } from "../../kit/folder.js";

const workerUrl = new URL("../../../dist/engine/images/worker.js", import.meta.url);

/** More steps than can finish before they are aborted. */
const manySteps = 600;

/** Creates the engine and a folder with this layout as a model of the registry. */
async function opened(
  layout: PublishedModel,
  steps?: number,
): Promise<{ engine: ImageEngine; model: Model; folder: string }> {
  const folder = writeImageModel(join(temporaryFolder(), "painter"), layout);
  const model = (await loadRegistry({ folders: [join(folder, "..")], contextTokensMax: 100 })).find(
    "painter",
  );
  if (model === null) throw new Error("the registry has not found it");
  const drawing = steps === undefined ? undefined : { steps, guidanceScale: 4 };
  const engine = createImageEngine({
    clock: systemClock,
    workerUrl,
    threads: 1,
    keepAliveMs: 60_000,
    verify: verifyWeights,
    memory: new ModelMemory({ clock: systemClock, memoryBytesMax: 1e9 }),
    log: () => undefined,
  });
  onTestFinished(() => engine.close());
  return { engine, model: { ...model, manifest: { ...model.manifest, drawing } }, folder };
}

const asked: ImageGenerationJob = {
  prompt: "red",
  seed: 1,
  width: 64,
  height: 64,
  format: "png",
  quality: null,
};
const never = new AbortController().signal;
const drawOne = async (
  { engine, model }: { engine: ImageEngine; model: Model },
  job: Partial<ImageGenerationJob> = {},
) => {
  let steps = 0;
  const image = await engine.generate(model, { ...asked, ...job }, never, () => void (steps += 1));
  return { ...image, steps, base64: Buffer.from(image.bytes).toString("base64") };
};

describe.each(Object.entries(publishedModels))("a folder with the published layout of %s", (name, layout) => {
  it("is recognised and generates images: equal seeds give equal bytes, other seeds and texts give others", async () => {
    const all = await opened(layout);
    expect(all.model).toMatchObject({
      unusable: null,
      manifest: { kind: "image", outputModalities: ["image"] },
    });
    const loaded = await all.engine.load(all.model);
    expect(loaded.sizeFor(null)).toEqual({ width: 64, height: 64 });
    const image = await drawOne(all);
    expect(image.steps).toBe({ sd15: 25, lcm: 4, turbo: 4 }[name]);
    expect(image.promptRead).toBe("red");
    const { data, info } = await sharp(image.bytes).raw().toBuffer({ resolveWithObject: true });
    expect(info).toMatchObject({ width: 64, height: 64, channels: 3 });
    // Not a single colour: no NaN occurred.
    expect(new Set(data).size).toBeGreaterThan(20);
    expect((await drawOne(all)).base64).toBe(image.base64);
    expect((await drawOne(all, { seed: 2 })).base64).not.toBe(image.base64);
    expect((await drawOne(all, { prompt: "cat" })).base64).not.toBe(image.base64);
    loaded.release();
  });
});

it("an export with variable sides generates other sizes too, and one with fixed sides does not", async () => {
  const open = await opened(publishedModels.sd15);
  const wide = { width: 2, height: 1, ratioOnly: true };
  expect((await open.engine.load(open.model)).sizeFor(wide)).toEqual({ width: 80, height: 48 });
  expect(await drawOne(open, { width: 80, height: 48 })).toMatchObject({ width: 80, height: 48 });
  const fixed = await opened(publishedModels.turbo);
  expect((await fixed.engine.load(fixed.model)).sizeFor(wide)).toEqual({ width: 64, height: 64 });
});

it.each(["png", "jpeg", "webp"] as const)("an image is encoded as %s", async (format) => {
  const all = await opened(publishedModels.turbo);
  await all.engine.load(all.model);
  const { bytes } = await drawOne(all, { format });
  expect((await sharp(bytes).metadata()).format).toBe(format);
});

it("an aborted job ends within one step, and the next job is not affected", async () => {
  const all = await opened(publishedModels.sd15, manySteps);
  await all.engine.load(all.model);
  const whole = await drawOne(all);
  const leaving = new AbortController();
  let steps = 0;
  const drawing = all.engine.generate(all.model, asked, leaving.signal, () => {
    steps += 1;
    if (steps === 2) leaving.abort(new Error("left"));
  });
  await expect(drawing).rejects.toThrow("left");
  expect(steps).toBeLessThan(manySteps);
  expect((await drawOne(all)).base64).toBe(whole.base64);
});

it("closes during a job: the job is rejected, and the thread ends without harm", async () => {
  const all = await opened(publishedModels.sd15, manySteps);
  await all.engine.load(all.model);
  const closed: Promise<void>[] = [];
  const drawing = all.engine.generate(all.model, asked, never, () => void closed.push(all.engine.close()));
  await expect(drawing).rejects.toMatchObject({ kind: "overloaded" });
  await Promise.all(closed);
  await expect(all.engine.generate(all.model, asked, never, () => undefined)).rejects.toMatchObject({
    kind: "overloaded",
  });
});

describe("an unusable folder", () => {
  it.each([
    ["a part is missing", "unet/model.onnx", "its file 'unet/model.onnx' is missing."],
    ["the merges are missing", "tokenizer/merges.txt", "its file 'tokenizer/merges.txt' is missing."],
  ])("is listed with the reason where %s", async (_, file, reason) => {
    const { folder } = await opened(publishedModels.turbo);
    await rm(join(folder, file));
    const models = await loadRegistry({ folders: [join(folder, "..")], contextTokensMax: 100 });
    expect(models.find("painter")?.unusable).toBe(reason);
  });

  it("is listed with the reason when it has another pipeline", async () => {
    const { model } = await opened({ ...publishedModels.turbo, pipeline: "StableDiffusionXLPipeline" });
    expect(model.unusable).toBe("it is a 'StableDiffusionXLPipeline', which this server does not support.");
  });

  it("is rejected with the scheduler's name when the scheduler is unknown", async () => {
    const scheduler = { ...publishedModels.turbo.scheduler, _class_name: "UniPCMultistepScheduler" };
    const { engine, model } = await opened({ ...publishedModels.turbo, scheduler });
    await expect(engine.load(model)).rejects.toMatchObject({
      kind: "model_unavailable",
      message: expect.stringContaining("its scheduler 'UniPCMultistepScheduler' is none of") as string,
    });
  });

  it("C1, E11: is rejected without a path when its graph is damaged", async () => {
    const { engine, model, folder } = await opened(publishedModels.turbo);
    writeFileSync(join(folder, "unet/model.onnx"), "no protocol buffer");
    const refused = await engine.load(model).catch((thrown: unknown) => thrown);
    expect(refused).toMatchObject({
      kind: "model_unavailable",
      message: "The model 'painter' cannot be used: it could not be loaded.",
    });
  });
});
