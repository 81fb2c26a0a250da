/** The part of the composition root that builds the stores over the database. */
import type { Config } from "../config.js";
import type { Random } from "../core/random.js";
import { createImageStore } from "../inference/images/store.js";
import { createResponseStore } from "../inference/responses/store/responses.js";
import { createRunStore } from "../inference/run/store/runs.js";
import { createDeferredStore } from "../jobs/deferred/store.js";
import { createPullStore } from "../jobs/pulls/store.js";
import { createJobStore } from "../jobs/store.js";
import type { Database } from "../store/database.js";
import { buildAccountStores } from "./accounts.js";
import { imagesFolder } from "./data-folder.js";

export type Stores = ReturnType<typeof buildStores>;

export function buildStores(config: Config, database: Database, random: Random) {
  return {
    ...buildAccountStores(database),
    runs: createRunStore(database),
    jobs: createJobStore(database),
    deferred: createDeferredStore(database),
    responses: createResponseStore(database),
    pulls: createPullStore(database),
    images: createImageStore(database, {
      folder: imagesFolder(config),
      bytesMax: config.imagesBytesMax,
      random,
    }),
  };
}
