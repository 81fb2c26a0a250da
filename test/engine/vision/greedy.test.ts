import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { AutoModelForVision2Seq, type Tensor } from "@huggingface/transformers";
import { afterEach, describe, expect, it } from "vitest";
import { createGreedyCaptioner, type GreedyCaptioner } from "../../../src/engine/vision/greedy.js";
import {
  openImageProcessor,
  openRunner,
  rawImage,
  type Runner,
} from "../../../src/engine/vision/transformers.js";
import { heldOutScenes } from "../../kit/pictures/held-out.js";
import { render } from "../../kit/pictures/render.js";
import { writeCaptioner } from "../../kit/models/vision/captioner.js";

const builtIn = fileURLToPath(new URL("../../../models/hearth-captioner-2m", import.meta.url));
const folders: string[] = [];
const runners: Runner[] = [];

afterEach(async () => {
  for (const runner of runners.splice(0)) await runner.dispose();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

/** Writes a captioning model with these decoding settings. */
function written(settings: object): string {
  const folder = mkdtempSync(join(tmpdir(), "hearth-greedy-"));
  folders.push(folder);
  writeCaptioner(folder);
  const file = join(folder, "generation_config.json");
  const given = JSON.parse(readFileSync(file, "utf8")) as object;
  writeFileSync(file, JSON.stringify({ ...given, ...settings }));
  return folder;
}

async function opened(folder: string): Promise<Runner> {
  const runner = await openRunner(AutoModelForVision2Seq, folder, 1);
  runners.push(runner);
  return runner;
}

function taken(runner: Runner, tokensMax: number): GreedyCaptioner {
  const caption = createGreedyCaptioner(runner, tokensMax);
  if (caption === null) throw new Error("the library's loop was taken");
  return caption;
}

describe("greedy decoding", () => {
  it.each([
    ["a written model", () => written({})],
    ["the built-in model", () => builtIn],
  ])("says of a picture, token by token, what the library's says: %s", async (_, folderOf) => {
    const folder = folderOf();
    const process = await openImageProcessor(folder);
    const runner = await opened(folder);
    const caption = taken(runner, 40);
    for (const scene of heldOutScenes(6, 5, { freeColors: true, largeMax: 0.44 })) {
      const { pixel_values: inputs } = await process([rawImage(render(scene, 96))]);
      const output = await runner.generate({ inputs, max_new_tokens: 40 });
      const [, ...said] = Array.from(output.data as BigInt64Array, Number);
      expect(await caption((inputs as Tensor).ort_tensor, () => false)).toEqual(said);
    }
  });

  it("ends when it is stopped, and at the token limit", async () => {
    const runner = await opened(written({}));
    const process = await openImageProcessor(folders[0] ?? "");
    const dark = { width: 32, height: 32, rgb: new Uint8Array(32 * 32 * 3) };
    const { pixel_values: inputs } = await process([rawImage(dark)]);
    const pixels = (inputs as Tensor).ort_tensor;
    expect(await taken(runner, 7)(pixels, () => false)).toHaveLength(7);
    let asked = 0;
    expect(await taken(runner, 7)(pixels, () => (asked += 1) > 3)).toHaveLength(3);
  });

  it.each([{ num_beams: 4 }, { do_sample: true }, { no_repeat_ngram_size: 2 }, { repetition_penalty: 1.2 }])(
    "is not used for a model with other decoding settings: %j",
    async (settings) => {
      expect(createGreedyCaptioner(await opened(written(settings)), 7)).toBeNull();
    },
  );
});
