/** Finds the models of LM Studio: `PUBLISHER/REPOSITORY/FILE.gguf`. */
import { join } from "node:path";
import { entriesIn } from "./files.js";
import type { ForeignModels } from "./foreign-model.js";
import { modelsAmong } from "./gguf-files.js";

/** @param folder the folder of models of LM Studio */
export async function findLmStudioModels(folder: string): Promise<ForeignModels> {
  const found: ForeignModels[] = [];
  for (const publisher of await entriesIn(folder))
    for (const repository of await entriesIn(join(folder, publisher))) {
      const own = join(folder, publisher, repository);
      found.push(await modelsAmong(own, await entriesIn(own), [publisher, repository]));
    }
  return {
    models: found.flatMap(({ models }) => models),
    skipped: found.flatMap(({ skipped }) => skipped),
  };
}
