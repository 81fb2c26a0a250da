/** Chooses which files of a repository make up the model that a person asked for. */
import { closestTexts } from "../../../system/closest-texts.js";
import { chooseProjector } from "../../gguf/projector.js";
import { quoted } from "../../gguf/refusal.js";
import { isLaterPart, isMainModel, isProjectorName, listPartFiles, readModelStem } from "../../parts.js";
import { notThere } from "../errors.js";
import type { FileChoice, HubFile } from "./files.js";
import { chooseFolder } from "./folders.js";
import { bySuitability, isSameQuant, nearestQuants, findQuant } from "./quants.js";
import { isSafePath } from "../reference.js";

/** A model in one or several GGUF files. */
interface Candidate {
  readonly quant: string | null;
  /** In the order of their parts. */
  readonly files: readonly HubFile[];
}

const listedMax = 12;

/**
 * Returns the files of the model: the GGUF files of the quantization that was asked for, else of the most suitable one; in a
 * repository without GGUF files a folder of transformers.js or Diffusers.
 * @param quant null: none was named.
 * @throws HearthError `model_not_found` that lists what is there.
 */
export function chooseModel(repo: string, listed: readonly HubFile[], quant: string | null): FileChoice {
  const files = listed.filter(({ path }) => isSafePath(path));
  const candidates = candidatesIn(repo, files);
  if (candidates.length === 0) {
    const folder = chooseFolder(repo, files, quant);
    if (folder !== null) return folder;
    throw notThere(
      `${quoted(repo)} holds nothing that Hearth can run: neither GGUF files nor ONNX graphs in the layout of transformers.js or Diffusers. ${thereAre(files)}`,
    );
  }
  return toChoice(quant === null ? mostSuitable(repo, candidates) : ofQuant(repo, candidates, quant), files);
}

/** Returns the file of a path with all its parts. @throws HearthError `model_not_found` with the closest paths. */
export function chooseFile(repo: string, listed: readonly HubFile[], path: string): FileChoice {
  const files = listed.filter((file) => isSafePath(file.path));
  const name = path.slice(path.lastIndexOf("/") + 1);
  const first = listPartFiles(name)[0] ?? name;
  const wanted = `${path.slice(0, path.length - name.length)}${isLaterPart(name) ? first : name}`;
  const found = withParts(files, wanted);
  if (found !== null) return toChoice({ quant: findQuant(path), files: found }, files);
  const models = files.filter((file) => /\.gguf$/i.test(file.path)).map((file) => file.path);
  const closest = closestTexts(path, models);
  const shown = closest.length > 0 ? `Did you mean ${joinTexts(closest)}?` : thereAre(files);
  throw notThere(`${quoted(repo)} has no complete file ${quoted(path)}. ${shown}`);
}

function candidatesIn(repo: string, files: readonly HubFile[]): readonly Candidate[] {
  const found = files.flatMap(({ path }) => {
    if (!/\.gguf$/i.test(path) || !isMainModel(path, repo) || isLaterPart(path)) return [];
    const parts = withParts(files, path);
    return parts === null ? [] : [{ quant: findQuant(path), files: parts }];
  });
  // Some repositories have a model both in one file and in parts.
  const single = new Set(found.flatMap(({ files: [first, second] }) => (second ? [] : stem(first))));
  return found.filter((each) => each.files.length === 1 || !single.has(stem(each.files[0])));
}

function stem(file: HubFile | undefined): string {
  return readModelStem(file?.path ?? "");
}

/** Returns the files of the model that begins with a file; null if one is missing. */
function withParts(files: readonly HubFile[], path: string): readonly HubFile[] | null {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const parts = listPartFiles(path).map((part) => byPath.get(part));
  return parts.every((part) => part !== undefined) ? parts : null;
}

function mostSuitable(repo: string, candidates: readonly Candidate[]): Candidate {
  const [best, second] = [...candidates].sort((a, b) => bySuitability(a.quant, b.quant));
  if (best === undefined) throw notThere(`${quoted(repo)} has no model.`);
  if (second !== undefined && second.quant === best.quant) throw several(repo, candidates, best.quant);
  return best;
}

function ofQuant(repo: string, candidates: readonly Candidate[], asked: string): Candidate {
  const exact = candidates.filter(({ quant }) => quant === asked.toUpperCase());
  const same = candidates.filter(({ quant }) => quant !== null && isSameQuant(quant, asked));
  const named = candidates.filter(({ files: [first] }) => isNamed(first?.path ?? "", asked));
  const found = [exact, same, named].find((each) => each.length > 0) ?? [];
  const [only, other] = found;
  if (other !== undefined) throw several(repo, found, asked);
  if (only !== undefined) return only;
  const quants = candidates.flatMap(({ quant }) => quant ?? []);
  const nearest = nearestQuants(asked, quants);
  const closest = nearest.slice(0, 3).map((quant) => `${repo}:${quant}`);
  const sentence = closest.length === 0 ? "" : ` The nearest are ${joinTexts(closest)}.`;
  const all = nearest.length > closest.length ? ` It has ${joinTexts([...new Set(quants)].sort())}.` : "";
  const files = quants.length === 0 ? ` ${thereAre(candidates.flatMap((each) => each.files))}` : "";
  throw notThere(`${quoted(repo)} has no quantization ${quoted(asked)}.${sentence}${all}${files}`);
}

/** Returns whether a whole part of a file's name is what was asked for, such as `qat-q4_0`. */
function isNamed(path: string, asked: string): boolean {
  const separated = `-${readModelStem(path).toLowerCase().replaceAll(/[./]/g, "-")}-`;
  return separated.includes(`-${asked.toLowerCase().replaceAll(".", "-")}-`);
}

function several(repo: string, candidates: readonly Candidate[], asked: string | null) {
  const paths = candidates.filter(({ quant }) => asked === null || quant === asked || quant !== null);
  const shown = paths.flatMap(({ files: [first] }) => (first === undefined ? [] : `${repo}/${first.path}`));
  const which = asked === null ? "several models" : `several models of ${asked}`;
  return notThere(`${quoted(repo)} has ${which}; name the file, such as ${joinTexts(shown)}.`);
}

/**
 * The files of parts lie side by side, also where the repository has a folder for them; the first part is the last to come. The projector of
 * the model, if the repository has one, comes before it.
 */
function toChoice({ files }: Candidate, listed: readonly HubFile[]): FileChoice {
  const nameFile = (file: HubFile) => ({ ...file, to: file.path.slice(file.path.lastIndexOf("/") + 1) });
  const [first, ...others] = files.map(nameFile);
  if (first === undefined) return { kind: "gguf", files: [] };
  const projectors = listed
    .filter(({ path }) => isProjectorName(path) && !files.some((file) => file.path === path))
    .map((file) => ({ path: nameFile(file).to, file }));
  const projector = isProjectorName(first.path) ? null : chooseProjector(first.to, projectors, false);
  return {
    kind: "gguf",
    files: [...(projector === null ? [] : [nameFile(projector.file)]), ...others, first],
  };
}

function thereAre(files: readonly HubFile[]): string {
  if (files.length === 0) return "It is empty.";
  const models = files.filter(({ path }) => /\.(gguf|onnx|safetensors)$/i.test(path));
  const shown = (models.length > 0 ? models : files).map(({ path }) => path);
  return `It has ${joinTexts(shown)}.`;
}

function joinTexts(texts: readonly string[]): string {
  const shown = texts.slice(0, listedMax).map(quoted).join(", ");
  return texts.length > listedMax ? `${shown} and ${texts.length - listedMax} more` : shown;
}
