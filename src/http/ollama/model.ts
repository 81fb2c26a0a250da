/** How Ollama's routes show a model. */
import { z } from "zod";
import { isGgufKind, type Model } from "../../core/model.js";
import { responseArray, responseObject } from "../../dialects/response-fields.js";
import type { ModelCard } from "../../models/library/details.js";

export const detailsSchema = responseObject({
  parent_model: z.literal(""),
  format: z.enum(["gguf", "onnx"]),
  family: z.string(),
  families: responseArray(z.string()),
  parameter_size: z.string().describe("Such as `7.6B`; empty when it is not known."),
  quantization_level: z.string().describe("Such as `Q4_K_M`; empty when it is not known."),
}).meta({ id: "OllamaModelDetails" });

/** Returns the details of a model. */
export function presentDetails({ manifest }: Model, card: ModelCard): z.infer<typeof detailsSchema> {
  return {
    parent_model: "",
    format: isGgufKind(manifest.kind) ? "gguf" : "onnx",
    family: manifest.family,
    families: [manifest.family],
    parameter_size: card.parameters === null ? "" : sizeText(card.parameters),
    quantization_level: card.quantization ?? "",
  };
}

/** What identifies the weights: their SHA-256, or where that is not known, the fingerprint. */
export function readDigest({ fingerprint }: Model, { sha256 }: ModelCard): string {
  return sha256 ?? fingerprint;
}

function sizeText(parameters: number): string {
  const [divisor, unit] = parameters < 1e9 ? [1e6, "M"] : [1e9, "B"];
  return `${(parameters / divisor).toFixed(1)}${unit}`;
}

/** The name of the model in a request; older clients send it as `name`. */
export const namedFields = {
  model: z.string().min(1, "must not be empty").max(2_000).nullish().describe("Name of the model."),
  name: z.string().max(2_000).nullish().describe("The older form of `model`."),
};

const capability = z.enum([
  "completion",
  "tools",
  "insert",
  "vision",
  "audio",
  "thinking",
  "embedding",
  "image",
]);

export const capabilitiesField = responseArray(capability);

/** Returns what a model can do. @param fillsGaps whether it fills gaps in texts */
export function listCapabilities(
  { manifest }: Model,
  fillsGaps: boolean,
): readonly z.infer<typeof capability>[] {
  const { kind, capabilities, inputModalities } = manifest;
  if (kind === "embedding") return ["embedding"];
  if (kind === "image") return ["image"];
  if (kind !== "chat") return [];
  const can = [
    ["completion", true],
    ["tools", capabilities.tools],
    ["insert", fillsGaps],
    ["vision", inputModalities.includes("image")],
    ["audio", inputModalities.includes("audio")],
    ["thinking", capabilities.reasoning],
  ] as const;
  return can.flatMap(([name, has]) => (has ? [name] : []));
}
