/** Archives, and image and vision models whose files are damaged, wrong or hostile: what is known of them before the first image. */
import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import type { Clock } from "../../../src/core/clock.js";
import { systemClock } from "../../../src/system/clock.js";
import { publishedModels, writeImageModel } from "../../kit/models/image-models.js";
import { root, temporaryFolder } from "../../kit/folder.js";
import { runProgram } from "../../kit/program.js";
import { type TestServer, startServer } from "../../kit/server.js";
import { builtInModel, testKey } from "../../kit/server/settings.js";
import { floats, writeOnnx } from "../../kit/models/onnx-writer.js";
import { writeCaptioner } from "../../kit/models/vision/captioner.js";

const makePipe = "mkfifo";
const encoder = "onnx/encoder_model.onnx";
/** An archive of one file, whose path is `../../escaped`. */
const zipSlip = Buffer.from(
  "UEsDBBQAAAAAANsMd12DFtyMAQAAAAEAAAANAAAALi4vLi4vZXNjYXBlZHhQSwECFAMUAAAAAADbDHddgxbcjAEAAAABAAAADQAAAAAAAAAAAAAA" +
    "gAEAAAAALi4vLi4vZXNjYXBlZFBLBQYAAAAAAQABADsAAAAsAAAAAAA=",
  "base64",
);
const png = `data:image/png;base64,${"A".repeat(64)}`;
/** The checks begin soon after the start; here they begin at once. */
const clock: Clock = {
  ...systemClock,
  after: (delayMs, action) => systemClock.after(delayMs === 500 ? 0 : delayMs, action),
};

interface Broken {
  readonly kind: "captioner" | "painter";
  readonly damage: (folder: string) => void;
  readonly reason: RegExp;
}

/** Replaces a file by a link to another one. */
const linked = (name: string, target: string) => (folder: string) => {
  rmSync(join(folder, name));
  symlinkSync(target, join(folder, name));
};
const piped = (name: string) => (folder: string) => {
  rmSync(join(folder, name), { force: true });
  execFileSync(makePipe, [join(folder, name)]);
};
/** Writes a graph whose weights lie in another file. */
const external = (name: string, file: string) => (folder: string) =>
  writeOnnx(join(folder, name), {
    inputs: [{ name: "x", type: "float32", shape: [1] }],
    outputs: [{ name: "y", type: "float32", shape: [1] }],
    constants: { w: { ...floats([1], [1]), external: { file, offset: 0 } } },
    nodes: [{ op: "Add", inputs: ["x", "w"], outputs: ["y"] }],
  });
const configOf = (change: object) => (folder: string) => {
  const file = join(folder, "config.json");
  writeFileSync(file, JSON.stringify({ ...(JSON.parse(readFileSync(file, "utf8")) as object), ...change }));
};

const broken: Readonly<Record<string, Broken>> = {
  "no-graph": {
    kind: "captioner",
    damage: (folder) => rmSync(join(folder, encoder)),
    reason: /^its file 'onnx\/encoder_model\.onnx' is missing\.$/,
  },
  cut: {
    kind: "captioner",
    damage: (folder) => truncateSync(join(folder, encoder), 400),
    reason:
      /^its file 'onnx\/encoder_model\.onnx' is refused: it is truncated, damaged, or not an ONNX model\.$/,
  },
  "no-onnx": {
    kind: "captioner",
    damage: (folder) => writeFileSync(join(folder, encoder), "Not Found\n"),
    reason: /encoder_model\.onnx' is refused: it is truncated, damaged, or not an ONNX model\.$/,
  },
  "config-list": {
    kind: "captioner",
    damage: configOf({ model_type: ["x"] }),
    reason: /does not name a model_type/,
  },
  "config-family": {
    kind: "captioner",
    damage: configOf({ model_type: "x" }),
    reason: /^it is a 'x', which/,
  },
  "config-empty": {
    kind: "captioner",
    damage: configOf({ decoder: null }),
    reason: /^its files are not what its family needs: /,
  },
  dots: {
    kind: "captioner",
    damage: external(encoder, "../../secret"),
    reason:
      /encoder_model\.onnx' is refused: it refers to data outside its folder \('\.\.\/\.\.\/secret'\)\.$/,
  },
  absolute: {
    kind: "captioner",
    damage: external(encoder, "/dev/zero"),
    reason: /it refers to data outside its folder \('\/dev\/zero'\)\.$/,
  },
  zero: {
    kind: "captioner",
    damage: linked(encoder, "/dev/zero"),
    reason: /encoder_model\.onnx' is not a regular file\.$/,
  },
  "zero-config": {
    kind: "captioner",
    damage: linked("config.json", "/dev/zero"),
    reason: /config\.json' is empty or not a regular/,
  },
  pipe: {
    kind: "captioner",
    damage: piped(encoder),
    reason: /encoder_model\.onnx' is not a regular file\.$/,
  },
  "pipe-config": {
    kind: "captioner",
    damage: piped("config.json"),
    reason: /config\.json' is empty or not a regular/,
  },
  "pipe-tokens": {
    kind: "captioner",
    damage: piped("vocab.json"),
    reason: /vocab\.json' is not a regular file\.$/,
  },
  "cut-painter": {
    kind: "painter",
    damage: (folder) => truncateSync(join(folder, "unet/model.onnx"), 400),
    reason: /unet\/model\.onnx' is refused: it is truncated/,
  },
  "no-data": {
    kind: "painter",
    damage: external("unet/model.onnx", "model.onnx_data"),
    reason: /unet\/model\.onnx' is refused: its data 'model\.onnx_data' is missing\.$/,
  },
  "zero-data": {
    kind: "painter",
    damage: (folder) => {
      external("unet/model.onnx", "model.onnx_data")(folder);
      symlinkSync("/dev/zero", join(folder, "unet/model.onnx_data"));
    },
    reason: /unet\/model\.onnx_data' is not a regular file\.$/,
  },
  "wrong-scheduler": {
    kind: "painter",
    damage: (folder) =>
      writeFileSync(join(folder, "scheduler/scheduler_config.json"), '{"_class_name":"OtherScheduler"}'),
    reason: /^its .*OtherScheduler/,
  },
};

/** Writes broken models, and if there are many two whole ones, into a models folder. */
function writeModels(ids: readonly string[] = Object.keys(broken)): string {
  const models = join(temporaryFolder(), "models");
  const write = (id: string, { kind, damage }: Pick<Broken, "kind" | "damage">): void => {
    const folder = join(models, id);
    mkdirSync(folder, { recursive: true });
    if (kind === "captioner") writeCaptioner(folder);
    else writeImageModel(folder, publishedModels.sd15);
    damage(folder);
  };
  const harmless = (): void => undefined;
  for (const id of ids) write(id, broken[id] ?? expect.fail());
  if (ids.length > 2) {
    write("whole-captioner", { kind: "captioner", damage: harmless });
    write("whole-painter", { kind: "painter", damage: harmless });
  }
  return models;
}

async function detailsOf({ url }: TestServer): Promise<readonly string[]> {
  const response = await fetch(`${url}/readyz`);
  expect(response.status).toBe(200);
  return ((await response.json()) as { details?: readonly string[] }).details ?? [];
}

it("C11: what cannot be loaded is known before the first image, hangs nothing, and is refused with the same reason", async () => {
  const models = writeModels();
  const folder = join(models, "manifest-pipe");
  mkdirSync(folder);
  execFileSync(makePipe, [join(folder, "manifest.json")]);
  const server = await startServer({
    environment: { HEARTH_MODELS: models, HEARTH_VISION_MODEL: "cut" },
    clock,
    onnxTrialUrl: pathToFileURL(join(root, "dist/engine/onnx/smoke.js")),
  });
  const count = Object.keys(broken).length + 1;
  await expect.poll(() => detailsOf(server), { interval: 20, timeout: 50_000 }).toHaveLength(count);
  const details = await detailsOf(server);
  for (const [id, { reason }] of Object.entries(broken)) {
    const detail = details.find((each) => each.startsWith(`the model '${id}' cannot be used: `)) ?? "";
    expect([id, detail.split("cannot be used: ")[1]]).toEqual([id, expect.stringMatching(reason)]);
    expect(server.app.models.find(id)?.unusable).toMatch(reason);
  }
  expect(details.join()).not.toContain(models);
  const content = [{ type: "image_url" as const, image_url: { url: png } }];
  const captioned = server.client.chat.completions.create({
    model: builtInModel,
    messages: [{ role: "user", content }],
  });
  await expect(captioned).rejects.toMatchObject({
    status: 503,
    message: expect.stringContaining(
      "The model 'cut' cannot be used: its file 'onnx/encoder_model.onnx'",
    ) as string,
  });
  const drawn = server.client.images.generate({ model: "no-data", prompt: "red" });
  await expect(drawn).rejects.toMatchObject({
    status: 503,
    message: expect.stringContaining("is missing.") as string,
  });
  const { models: listed } = (await (
    await fetch(`${server.url}/v1/language-models`, { headers: { authorization: `Bearer ${testKey}` } })
  ).json()) as { models: { id: string; input_modalities: string[] }[] };
  expect(listed.find(({ id }) => id === builtInModel)?.input_modalities).toEqual(["text"]);
});

it("a captioner that nobody chose and that cannot be loaded leaves its work to the next largest", async () => {
  const models = writeModels(["cut"]);
  writeFileSync(join(models, "cut/onnx/encoder_model.onnx_data"), Buffer.alloc(20_000_000));
  const server = await startServer({ environment: { HEARTH_MODELS: models }, clock });
  await expect.poll(() => detailsOf(server), { interval: 5 }).toHaveLength(1);
  expect(server.app.models.find(builtInModel)?.manifest.inputModalities).toEqual(["text", "image"]);
});

it("C4: hearth doctor fails with the models that cannot be loaded, and names archives, which are never unpacked", async () => {
  const models = writeModels(["zero", "wrong-scheduler"]);
  mkdirSync(join(models, "inner"));
  for (const name of ["model.zip", "inner/model.gguf.zip"]) writeFileSync(join(models, name), zipSlip);
  const doctor = runProgram(["doctor"], { HEARTH_MODELS: models, HEARTH_DATA: temporaryFolder() });
  expect(await doctor.exited).toBe(1);
  expect(doctor.stdout()).toMatch(/failed {3}model zero: unusable: its file .* is not a regular file/);
  expect(doctor.stdout()).toMatch(/failed {3}model wrong-scheduler: unusable: its .*OtherScheduler/);
  expect(doctor.stdout()).toMatch(/ok {7}model hearth-captioner-2m/);
  for (const name of ["model.zip", "model.gguf.zip"])
    expect(doctor.stdout()).toContain(`The archive '${name}' is not a model; unpack it`);
  expect(doctor.stdout().match(/ model /g)).toHaveLength(6);
  expect(readdirSync(join(models, "inner"))).toEqual(["model.gguf.zip"]);
  expect([join(models, "../escaped"), join(models, "escaped")].filter(existsSync)).toEqual([]);
});
