/** Finds the GGUF models among the files of a repository. */
import { basename, join } from "node:path";
import { chooseProjector } from "../gguf/projector.js";
import { isLaterPart, isProjectorName, listPartFiles } from "../parts.js";
import { isGgufFile } from "./files.js";
import type { ForeignModel, ForeignModels, Skipped } from "./foreign-model.js";

/**
 * Returns the models of a repository, each with all of its parts, and with the projector by which it reads images or sound.
 * @param paths of its files, relative to `folder`
 */
export async function modelsAmong(
  folder: string,
  paths: readonly string[],
  place: ForeignModel["place"],
): Promise<ForeignModels> {
  const models: ForeignModel[] = [];
  const skipped: Skipped[] = [];
  const projectors: { readonly path: string; readonly from: string }[] = [];
  for (const path of paths.filter(isProjectorName)) {
    const name = basename(path);
    const reason = await problem([{ path: join(folder, path), name }]);
    if (reason === null) projectors.push({ path: name, from: path });
    else skipped.push({ name: `${place.join("/")}/${name}`, reason });
  }
  for (const path of paths) {
    const file = basename(path);
    if (!/\.gguf$/i.test(file) || isLaterPart(file) || isProjectorName(path)) continue;
    const name = `${place.join("/")}/${file}`;
    const files = listPartFiles(file).map((part) => ({
      path: join(folder, path.slice(0, -file.length), part),
      name: part,
    }));
    const reason = await problem(files);
    const projector = chooseProjector(file, projectors, false);
    const beside = projector === null ? [] : [{ path: join(folder, projector.from), name: projector.path }];
    if (reason === null) models.push({ name, place, files: [...files, ...beside], alias: null });
    else skipped.push({ name, reason });
  }
  return { models, skipped };
}

async function problem(files: ForeignModel["files"]): Promise<string | null> {
  for (const { path, name } of files)
    if (!(await isGgufFile(path)))
      return files.length === 1
        ? "it is not a GGUF file"
        : `its part ${name} is missing, or is not a GGUF file`;
  return null;
}
