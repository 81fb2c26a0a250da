/**
 * `npm run bench -- images [--large]`: what seeing and drawing cost the server, beside the bare runtime doing the same steps, and
 * how long its event loop is held up meanwhile. The models are the built-in ones; with --large, and in place of one that is not
 * built in, they are larger ones with random weights, whose steps take as long as small real ones' do.
 */
import { costRows } from "./images/cost.js";
import { lagRowsOf } from "./images/lag.js";
import { imageModels } from "./images/models.js";
import type { SectionOptions } from "./options.js";
import { residentMb, startServer } from "./server.js";
import type { Row } from "./table.js";

const efforts = {
  small: { descriptions: 40, drawings: 7 },
  large: { descriptions: 5, drawings: 7 },
} as const;

export async function* imagesSection({ large }: SectionOptions): AsyncGenerator<readonly Row[]> {
  const models = await imageModels(large);
  const server = await startServer({
    HEARTH_VISION_MODEL: models.seer.id,
    ...(models.folder === null ? {} : { HEARTH_MODELS: models.folder }),
  });
  const idleMb = residentMb(server.pid);
  yield* costRows(server, models, efforts[large ? "large" : "small"]);
  yield await lagRowsOf(server, models);
  const memory = `${idleMb.toFixed(0)} MB, then ${residentMb(server.pid).toFixed(0)} MB`;
  yield [{ figure: "resident memory before and after all of it", value: memory, reach: "" }];
  await server.stop();
}
