/**
 * `npm run bench -- images [--large]`: measures captioning and image generation in the server, compared with
 * the bare runtime doing the same steps, and the event loop lag during that time. It uses the built-in
 * models. With --large, or if a model is not built in, it uses larger models with random weights, whose steps
 * take as long as the steps of small real ones.
 */
import { costRows } from "./images/cost.js";
import { measureImageLag } from "./images/lag.js";
import { imageModels } from "./images/models.js";
import type { SectionOptions } from "./options.js";
import { residentMb } from "../world/processes.js";
import { spawnServer } from "../world/server.js";
import { toRow, type Row } from "../figures/table.js";

const efforts = {
  small: { descriptions: 40, drawings: 7 },
  large: { descriptions: 5, drawings: 7 },
} as const;

export async function* imagesSection({ large }: SectionOptions): AsyncGenerator<readonly Row[]> {
  const models = await imageModels(large);
  const server = await spawnServer({
    HEARTH_VISION_MODEL: models.visionModel.id,
    ...(models.folder === null ? {} : { HEARTH_MODELS: models.folder }),
  });
  const idleMb = residentMb(server.pid);
  yield* costRows(server, models, efforts[large ? "large" : "small"]);
  yield await measureImageLag(server, models);
  const memory = `${idleMb.toFixed(0)} MB, then ${residentMb(server.pid).toFixed(0)} MB`;
  yield [toRow("resident memory before and after all of it", memory)];
  await server.stop();
}
