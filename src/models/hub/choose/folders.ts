/** Models that are folders: which files of a repository belong to them. */
import { quoted } from "../../gguf/refusal.js";
import type { FileChoice, ChosenFile, HubFile } from "./files.js";
import { notThere } from "../errors.js";

/** What must be there besides the graphs; vision-folder.ts and diffusers.ts check the same in the folder. */
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
export function chooseFolder(
  repo: string,
  files: readonly HubFile[],
  numberType: string | null,
): FileChoice | null {
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
