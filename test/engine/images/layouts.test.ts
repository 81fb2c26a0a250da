import { writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import sharp from "sharp";
import { describe, expect, it, onTestFinished } from "vitest";
import type { DrawingEngine, DrawJob } from "../../../src/core/image-generation.js";
import type { Model } from "../../../src/core/model.js";
import { createImagesEngine } from "../../../src/engine/images/engine.js";
import { ModelMemory } from "../../../src/engine/model-memory.js";
import { loadRegistry } from "../../../src/models/registry.js";
import { verifyWeights } from "../../../src/models/verify.js";
import { systemClock } from "../../../src/system.js";
import { published, writeDrawingModel, type Published } from "../../drawing-models.js";
import { temporaryFolder } from "../../harness.js";

const workerUrl = new URL("../../../dist/engine/images/worker.js", import.meta.url);

/** So many that nobody is done with them before they are ended. */
const manySteps = 600;

/** The engine, and a folder of this layout as the registry finds it. */
async function opened(
  layout: Published,
  steps?: number,
): Promise<{ engine: DrawingEngine; model: Model; folder: string }> {
  const folder = writeDrawingModel(join(temporaryFolder(), "painter"), layout);
  const model = (await loadRegistry({ folders: [join(folder, "..")], contextTokensMax: 100 })).find(
    "painter",
  );
  if (model === null) throw new Error("the registry has not found it");
  const drawing = steps === undefined ? undefined : { steps, guidanceScale: 4 };
  const engine = createImagesEngine({
    ...{ clock: systemClock, workerUrl, threads: 1, keepAliveMs: 60_000, verify: verifyWeights },
    memory: new ModelMemory({ clock: systemClock, memoryBytesMax: 1e9 }),
    log: () => undefined,
  });
  onTestFinished(() => engine.close());
  return { engine, model: { ...model, manifest: { ...model.manifest, drawing } }, folder };
}

const asked: DrawJob = { prompt: "red", seed: 1, width: 64, height: 64, format: "png", quality: null };
const never = new AbortController().signal;
const drawOne = async (
  { engine, model }: { engine: DrawingEngine; model: Model },
  job: Partial<DrawJob> = {},
) => {
  let steps = 0;
  const image = await engine.draw(model, { ...asked, ...job }, never, () => void (steps += 1));
  return { ...image, steps, base64: Buffer.from(image.bytes).toString("base64") };
};

describe.each(Object.entries(published))("a folder as %s is published", (name, layout) => {
  it("is found and drawn with, unchanged: a seed gives the same bytes, another seed and another text others", async () => {
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
    // A picture and no single colour: there are no numbers that are none in it.
    expect(new Set(data).size).toBeGreaterThan(20);
    expect((await drawOne(all)).base64).toBe(image.base64);
    expect((await drawOne(all, { seed: 2 })).base64).not.toBe(image.base64);
    expect((await drawOne(all, { prompt: "cat" })).base64).not.toBe(image.base64);
    loaded.release();
  });
});

it("an export with open sides draws other sizes too, and one with fixed sides says that it cannot", async () => {
  const open = await opened(published.sd15);
  const wide = { width: 2, height: 1, ratioOnly: true };
  expect((await open.engine.load(open.model)).sizeFor(wide)).toEqual({ width: 80, height: 48 });
  expect(await drawOne(open, { width: 80, height: 48 })).toMatchObject({ width: 80, height: 48 });
  const fixed = await opened(published.turbo);
  expect((await fixed.engine.load(fixed.model)).sizeFor(wide)).toEqual({ width: 64, height: 64 });
});

it.each(["png", "jpeg", "webp"] as const)("an image comes as %s", async (format) => {
  const all = await opened(published.turbo);
  await all.engine.load(all.model);
  const { bytes } = await drawOne(all, { format });
  expect((await sharp(bytes).metadata()).format).toBe(format);
});

it("a drawing ends within a step of being aborted, and the next one is none the worse", async () => {
  const all = await opened(published.sd15, manySteps);
  await all.engine.load(all.model);
  const whole = await drawOne(all);
  const leaving = new AbortController();
  let steps = 0;
  const drawing = all.engine.draw(all.model, asked, leaving.signal, () => {
    steps += 1;
    if (steps === 2) leaving.abort(new Error("left"));
  });
  await expect(drawing).rejects.toThrow("left");
  expect(steps).toBeLessThan(manySteps);
  expect((await drawOne(all)).base64).toBe(whole.base64);
});

it("closes while it draws: the drawing is refused, and the thread ends by itself", async () => {
  const all = await opened(published.sd15, manySteps);
  await all.engine.load(all.model);
  const closed: Promise<void>[] = [];
  const drawing = all.engine.draw(all.model, asked, never, () => void closed.push(all.engine.close()));
  await expect(drawing).rejects.toMatchObject({ kind: "overloaded" });
  await Promise.all(closed);
  await expect(all.engine.draw(all.model, asked, never, () => undefined)).rejects.toMatchObject({
    kind: "overloaded",
  });
});

describe("a folder that cannot be drawn with", () => {
  it.each([
    ["a part is missing", "unet/model.onnx", "its file 'unet/model.onnx' is missing."],
    ["the merges are missing", "tokenizer/merges.txt", "its file 'tokenizer/merges.txt' is missing."],
  ])("is listed with the reason where %s", async (_, file, reason) => {
    const { folder } = await opened(published.turbo);
    await rm(join(folder, file));
    const models = await loadRegistry({ folders: [join(folder, "..")], contextTokensMax: 100 });
    expect(models.find("painter")?.unusable).toBe(reason);
  });

  it("is listed with the reason where it is of another pipeline", async () => {
    const { model } = await opened({ ...published.turbo, pipeline: "StableDiffusionXLPipeline" });
    expect(model.unusable).toBe("it is a 'StableDiffusionXLPipeline', which this server cannot draw with.");
  });

  it("is refused by name where its scheduler is not known", async () => {
    const scheduler = { ...published.turbo.scheduler, _class_name: "UniPCMultistepScheduler" };
    const { engine, model } = await opened({ ...published.turbo, scheduler });
    await expect(engine.load(model)).rejects.toMatchObject({
      kind: "model_unavailable",
      message: expect.stringContaining("its scheduler 'UniPCMultistepScheduler' is none of") as string,
    });
  });

  it("C1, E11: is refused without a path where its graph is damaged", async () => {
    const { engine, model, folder } = await opened(published.turbo);
    writeFileSync(join(folder, "unet/model.onnx"), "no protocol buffer");
    const refused = await engine.load(model).catch((thrown: unknown) => thrown);
    expect(refused).toMatchObject({
      kind: "model_unavailable",
      message: "The model 'painter' cannot be used: it could not be loaded.",
    });
  });
});
