/** Which models run on remote engines. */
import { createHash } from "node:crypto";
import { dropProjector, type Model, type ModelManifest, type RemotePlacement } from "../../core/model.js";
import type { ContextLimit } from "../apply-settings.js";
import type { FoundModel } from "../folders/scan.js";
import { quoted } from "../gguf/refusal.js";
import { isModelId } from "../manifest.js";

/** Placements by the id of the model. */
export type Placements = ReadonlyMap<string, RemotePlacement>;

/** Returns the largest context of a model that does not take memory of this machine: what it was trained with, unless it is set. */
export function remoteLimit(limit: ContextLimit): ContextLimit {
  return typeof limit === "number" ? limit : ({ trainedTokens }) => trainedTokens;
}

/** Returns the model as it runs on the engine that it is placed on, if it is placed on one. */
export function placed(model: Model, placements: Placements): Model {
  const remote = placements.get(model.manifest.id);
  if (remote === undefined) return model;
  const problem =
    model.manifest.kind === "chat" || model.manifest.kind === "embedding"
      ? null
      : `it is neither a chat nor an embedding model, and only these can run on ${remote.engine}.`;
  const fingerprint = createHash("sha256").update(`${model.fingerprint} ${remote.engine}`).digest("hex");
  return {
    ...dropProjector(model),
    remote,
    unusable: model.unusable ?? problem,
    fingerprint: `fp_${fingerprint.slice(0, 10)}`,
  };
}

/** Returns the models on remote engines that need no file here, apart from those that there is one of. */
export function modelsWithoutFile(
  placements: Placements,
  has: (id: string) => boolean,
): readonly FoundModel[] {
  return [...placements].flatMap(([id, { contextTokens, engine, modelName }]) =>
    contextTokens === null || has(id) || !isModelId(id)
      ? []
      : [toFoundModel(id, contextTokens, [engine, modelName])],
  );
}

function toFoundModel(id: string, contextTokens: number, identity: readonly string[]): FoundModel {
  const manifest: ModelManifest = {
    id,
    aliases: [],
    kind: "chat",
    name: id,
    family: "unknown",
    version: "1",
    file: "",
    bytes: 0,
    sha256: null,
    contextTokens,
    inputModalities: ["text"],
    outputModalities: ["text"],
    capabilities: { reasoning: true, tools: true, structuredOutputs: true },
    prices: { promptTextTokenTicks: 0, cachedPromptTextTokenTicks: 0, completionTextTokenTicks: 0 },
    license: "unknown",
    created: 0,
    madeBy: "unknown",
  };
  const model = {
    manifest,
    path: "",
    unusable: null,
    kvBytesPerToken: 0,
    fingerprint: JSON.stringify(identity),
  };
  return { model, suggestedAliases: [], root: "", isBare: false, adapter: null };
}

/** Returns a sentence for each placement of a model that there is not. */
export function placementWarnings(placements: Placements, has: (id: string) => boolean): readonly string[] {
  return [...placements].flatMap(([id, { engine, contextTokens }]) =>
    has(id)
      ? []
      : contextTokens !== null
        ? [`The engine ${engine} is to run ${quoted(id)}, which is not a valid id of a model.`]
        : [
            `The engine ${engine} is to run ${quoted(id)}, and no folder of models has its GGUF file, or a folder of this name with its tokenizer.json: its vocabulary and template are needed here.`,
          ],
  );
}
