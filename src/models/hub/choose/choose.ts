/** Chooses which files of a repository make up the model that a person asked for. */
import { closestTexts } from "../../../system/closest-texts.js";
import { chooseProjector } from "../../gguf/projector.js";
import { quoted } from "../../gguf/refusal.js";
import { isLaterPart, isMainModel, isProjectorName, listPartFiles, readModelStem } from "../../parts.js";
import { notThere } from "../errors.js";
import type { FileChoice, HubFile, ChosenFile } from "./files.js";
import { bySuitability, nearestQuants, findQuant } from "./quants.js";
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

// Models that are folders: which files of a repository belong to them.

/** What must be there besides the graphs; vision/folder.ts and diffusers.ts check the same in the folder. */
const visionNeeds = ["config.json", "tokenizer.json", "tokenizer_config.json", "preprocessor_config.json"];
const diffusersNeeds = [
  "model_index.json",
  "scheduler/scheduler_config.json",
  "tokenizer/vocab.json",
  "tokenizer/merges.txt",
  "text_encoder/model.onnx",
  "unet/model.onnx",
  "vae_decoder/model.onnx",
];
const diffusersFile = /^(?:scheduler|tokenizer|text_encoder|unet|vae_decoder)\/[^/]+$/;
const otherWeights = /\.(?:safetensors|bin|ckpt|pt|pth|msgpack|h5|md|png|jpe?g|gitattributes)$/i;

/** Number types of graphs with the endings of their files, in the order of preference. */
const numberTypes: Readonly<Record<string, string>> = {
  q8: "_quantized",
  int8: "_int8",
  uint8: "_uint8",
  fp32: "",
  fp16: "_fp16",
  q4: "_q4",
  q4f16: "_q4f16",
  bnb4: "_bnb4",
};

/**
 * Returns the files of a folder of transformers.js or Diffusers; null if the repository is neither.
 * @param numberType which graphs to take; null: the graphs of 8 bits if there are any, as transformers.js does.
 * @throws HearthError `model_not_found` if files are missing.
 */
function chooseFolder(repo: string, files: readonly HubFile[], numberType: string | null): FileChoice | null {
  const paths = new Set(files.map(({ path }) => path));
  if (paths.has("model_index.json")) {
    requireAll(repo, paths, diffusersNeeds);
    const parts = files.filter(({ path }) => diffusersFile.test(path) && !otherWeights.test(path));
    return { kind: "image", files: withIndexLast(parts, files, "model_index.json") };
  }
  const graphs = files.filter(({ path }) => /^onnx\/[^/]+\.onnx$/i.test(path));
  if (graphs.length === 0 || !paths.has("config.json")) return null;
  requireAll(repo, paths, visionNeeds);
  const chosen = chooseGraphs(repo, graphs, numberType);
  const withData = files.filter(({ path }) =>
    chosen.some((graph) => path === graph.path || matchData(graph.path).test(path)),
  );
  const rest = files.filter(({ path }) => /^[^/]+\.(?:json|txt)$/i.test(path) && path !== "config.json");
  return { kind: "vision", files: withIndexLast([...withData, ...rest], files, "config.json") };
}

function requireAll(repo: string, paths: ReadonlySet<string>, needed: readonly string[]): void {
  const missing = needed.find((path) => !paths.has(path));
  if (missing !== undefined)
    throw notThere(`${quoted(repo)} cannot be run: it has no file ${quoted(missing)}.`);
}

/** Returns one graph for each part of the model, of the number type that was asked for or the best that there is. */
function chooseGraphs(
  repo: string,
  graphs: readonly HubFile[],
  numberType: string | null,
): readonly HubFile[] {
  const asked = numberType?.toLowerCase() ?? null;
  if (asked !== null && numberTypes[asked] === undefined)
    throw notThere(
      `${quoted(repo)} has no GGUF files, and ${quoted(asked)} is no number type of graphs; there are ${Object.keys(numberTypes).join(", ")}.`,
    );
  const byPart = new Map<string, Map<string, HubFile>>();
  for (const graph of graphs) {
    const { part, type } = splitPath(graph.path);
    byPart.set(part, (byPart.get(part) ?? new Map<string, HubFile>()).set(type, graph));
  }
  const isMerged = [...byPart.keys()].some((part) => part.endsWith("decoder_model_merged"));
  const order = [...(asked === null ? [] : [asked]), ...Object.keys(numberTypes)];
  return [...byPart].flatMap(([part, types]) => {
    if (isMerged && /decoder(?:_with_past)?_model$/.test(part)) return [];
    const type = order.find((each) => types.has(each));
    const graph = type === undefined ? undefined : types.get(type);
    return graph === undefined ? [] : [graph];
  });
}

function splitPath(path: string): { readonly part: string; readonly type: string } {
  const name = path.replace(/\.onnx$/i, "");
  const found = Object.entries(numberTypes).find(([, ending]) => ending !== "" && name.endsWith(ending));
  if (found === undefined) return { part: name, type: "fp32" };
  return { part: name.slice(0, -found[1].length), type: found[0] };
}

/** External data of a graph. */
function matchData(graph: string): RegExp {
  return new RegExp(`^${graph.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")}_data(?:_\\d+)?$`);
}

function withIndexLast(
  chosen: readonly HubFile[],
  all: readonly HubFile[],
  index: string,
): readonly ChosenFile[] {
  const last = all.filter(({ path }) => path === index);
  return [...chosen, ...last].map((file) => ({ ...file, to: file.path }));
}

/** Returns whether a quantization is the one that a person asked for: in any case, and with or without `UD-`. */
function isSameQuant(quant: string, asked: string): boolean {
  const plain = (name: string): string => name.toUpperCase().replace(/^UD-/, "");
  return quant === asked.toUpperCase() || plain(quant) === asked.toUpperCase();
}
