/** Measures captions and generated images by the server and by the bare runtime in turn, round by round. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { DecodedImage } from "../../../../src/core/images/images.js";
import { heldOutScenes } from "../../../../test/kit/pictures/held-out.js";
import { render } from "../../../../test/kit/pictures/render.js";
import type { Target } from "../../world/client.js";
import { quantile, spread, toRow, type Row } from "../../figures/table.js";
import { describeMs, generateImage, encodePng } from "./ask.js";
import { startBare, type Bare, type BareTime } from "./bare-process.js";
import type { ImageModels } from "./models.js";

export interface ImageEffort {
  readonly descriptions: number;
  readonly drawings: number;
}

/** The number of tokens of a padded prompt in most models. */
const textTokensUsual = 77;

/** Yields the time per caption, image and step, and the time that the server adds. */
export async function* costRows(
  server: Target,
  models: ImageModels,
  effort: ImageEffort,
): AsyncGenerator<readonly Row[]> {
  const pictures = picturesFor(models, effort.descriptions);
  const [first, ...others] = pictures;
  if (first === undefined) throw new Error("no pictures");
  await describeMs(server, await encodePng(first));
  const { width, height } = await generateImage(server, models.imageModel.id, 0);
  const bare = await startBare({
    visionModel: models.visionModel,
    painter: { ...models.imageModel, width, height, textTokens: readTextTokens(models) },
  });
  await bare.do({ type: "describe", rgb: first.rgb });
  await bare.do({ type: "draw" });
  yield await descriptionRows(server, bare, others, models.visionModel.id);
  yield await imageRows(server, bare, {
    model: models.imageModel.id,
    size: `${width} x ${height}`,
    drawings: effort.drawings,
  });
  await bare.close();
}

/** Returns one picture more than is measured, in the input size of the model, so that neither side scales. */
function picturesFor({ visionModel }: ImageModels, descriptions: number): readonly DecodedImage[] {
  const config = readJson(join(visionModel.folder, "config.json")) as {
    readonly encoder: { readonly image_size: number };
  };
  const scenes = heldOutScenes(descriptions * 3, 3, { freeColors: true, largeMax: 0.44 });
  // For dark pictures the model with random weights never stops.
  const bright = scenes.filter(({ groundRgb }) => Math.max(...groundRgb) >= 200).slice(0, descriptions + 1);
  return bright.map((scene) => render(scene, config.encoder.image_size));
}

function readTextTokens({ imageModel: painter }: ImageModels): number {
  const config = readJson(join(painter.folder, "tokenizer/tokenizer_config.json")) as {
    model_max_length?: number;
  };
  return config.model_max_length ?? textTokensUsual;
}

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(file, "utf8"));
}

async function descriptionRows(
  server: Target,
  bare: Bare,
  pictures: readonly DecodedImage[],
  model: string,
): Promise<readonly Row[]> {
  const served: number[] = [];
  const alone: BareTime[] = [];
  for (const picture of pictures) {
    const file = await encodePng(picture);
    served.push(await describeMs(server, file));
    alone.push(await bare.do({ type: "describe", rgb: picture.rgb }));
  }
  return toRows(`a caption by ${model}`, "token", served, alone);
}

async function imageRows(
  server: Target,
  bare: Bare,
  { model, size, drawings }: { readonly model: string; readonly size: string; readonly drawings: number },
): Promise<readonly Row[]> {
  const served: number[] = [];
  const alone: BareTime[] = [];
  for (let seed = 1; seed <= drawings; seed += 1) {
    served.push((await generateImage(server, model, seed)).ms);
    alone.push(await bare.do({ type: "draw" }));
  }
  return toRows(`an image by ${model}, ${size}`, "step", served, alone);
}

function toRows(
  what: string,
  step: string,
  served: readonly number[],
  alone: readonly BareTime[],
): readonly Row[] {
  const perStep = served.map((ms, round) => ms / (alone[round]?.steps ?? Number.NaN));
  // Round by round, because other load on the machine affected both.
  const ratios = served.map((ms, round) => ms / (alone[round]?.ms ?? Number.NaN));
  const added = served.map((ms, round) => ms - (alone[round]?.ms ?? Number.NaN));
  return [
    toRow(`${what}, over HTTP`, spread(served, 1, "ms")),
    toRow(`  each ${step} of it`, `${quantile(perStep, 0.5).toFixed(1)} ms`),
    toRow(
      "  by the bare runtime",
      spread(
        alone.map(({ ms }) => ms),
        1,
        "ms",
      ),
    ),
    toRow("  server / bare runtime", spread(ratios, 2, ""), "<= 1.10"),
    toRow("  what the server adds", spread(added, 1, "ms")),
  ];
}
