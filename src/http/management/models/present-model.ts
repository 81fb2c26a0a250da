/** Models in answers of /admin/models. */
import { basename } from "node:path";
import { z } from "zod";
import type { ModelInMemory } from "../../../core/metrics.js";
import type { Model, ProjectorFile } from "../../../core/model.js";
import { ticksToUsd, ticksToUsdPerMillion } from "../../../core/money.js";
import { countField, responseArray, responseObject } from "../../../dialects/response-fields.js";
import type { AppContext } from "../../server/app-context.js";

const usdPerMillion = z.string().describe("USD per million tokens, such as `0.15`.");

const memory = responseObject({
  bytes: countField("Memory that the model takes."),
  device: z.string(),
  slots: countField("Generations that can run concurrently."),
  slotsHeld: countField("Generations that are running."),
  loadTime: z.iso.datetime(),
  until: z.iso
    .datetime()
    .nullable()
    .describe("When the model is unloaded if it stays unused; null while it is in use."),
}).meta({ id: "AdminModelMemory" });

const fit = responseObject({
  verdict: z.enum(["fits", "fits with a shorter context", "does not fit"]),
  neededBytes: countField("Memory that the model needs with its context, about."),
  limitBytes: countField("Memory that all models together may take."),
  fittingTokens: z
    .number()
    .nullable()
    .describe("The longest context that fits, at most the context of the model; null if none does."),
}).meta({ id: "AdminModelFit" });

const projector = responseObject({
  file: z.string(),
  images: z.boolean().describe("Whether the model reads images by it."),
  audio: z.boolean().describe("Whether the model reads sound by it."),
}).meta({ id: "AdminModelProjector" });

export const adminModelSchema = responseObject({
  id: z.string(),
  object: z.literal("admin_model"),
  aliases: responseArray(z.string()),
  kind: z.enum(["chat", "image", "vision", "embedding", "rerank"]),
  family: z.string(),
  file: z.string(),
  bytes: countField("Size of all files."),
  sha256: z.string().nullable(),
  license: z.string(),
  contextTokens: countField("Tokens of prompt and answer together."),
  trainedTokens: z
    .number()
    .nullable()
    .describe("The context that it was trained with; null when its file does not say."),
  unusable: z.string().nullable().describe("Why it cannot be used; null when it can."),
  projector: projector
    .nullable()
    .describe("What it reads images or sound by; null when it reads text alone."),
  projectorProblem: z
    .string()
    .nullable()
    .describe("Why its projector is not used; null when it is, or when it has none."),
  fingerprint: z.string(),
  prices: responseObject({
    prompt: usdPerMillion,
    cached: usdPerMillion,
    completion: usdPerMillion,
    image: z.string().describe("USD per image."),
  }).meta({ id: "AdminModelPrices" }),
  settings: z
    .record(z.string(), z.unknown())
    .describe("The settings of the operator that are in effect; times are in ms."),
  memory: memory.nullable().describe("Null while the model is not in memory."),
  fit,
}).meta({ id: "AdminModel" });

export type WireModel = z.infer<typeof adminModelSchema>;

/** Returns what presents models as they are now. */
export function presenter({ modelAdmin, load, measureFit }: AppContext) {
  const settings = modelAdmin.settings();
  const inMemory = new Map(load().models.map((each) => [each.id, each]));
  return (model: Model): WireModel => {
    const { id } = model.manifest;
    const { verdict, neededBytes, limitBytes, fittingTokens } = measureFit(model);
    return {
      ...presentModel(model),
      settings: { ...(Object.hasOwn(settings, id) ? settings[id] : {}) },
      memory: presentMemory(inMemory.get(id)),
      fit: { verdict, neededBytes, limitBytes, fittingTokens },
    };
  };
}

function presentMemory(resident: ModelInMemory | undefined): z.infer<typeof memory> | null {
  if (resident === undefined) return null;
  const { bytes, device, slots, slotsHeld, loadedAt, until } = resident;
  const loadTime = new Date(loadedAt).toISOString();
  return {
    bytes,
    device,
    slots,
    slotsHeld,
    loadTime,
    until: until === null ? null : new Date(until).toISOString(),
  };
}

function presentModel(model: Model): Omit<WireModel, "settings" | "memory" | "fit"> {
  const { manifest, unusable, fingerprint, trainedTokens = null, projectorProblem = null, load } = model;
  const { prices } = manifest;
  return {
    id: manifest.id,
    object: "admin_model",
    aliases: [...manifest.aliases],
    kind: manifest.kind,
    family: manifest.family,
    file: manifest.file,
    bytes: manifest.bytes,
    sha256: manifest.sha256,
    license: manifest.license,
    contextTokens: manifest.contextTokens,
    trainedTokens,
    unusable,
    projector: load?.projector === undefined ? null : presentProjector(load.projector),
    projectorProblem,
    fingerprint,
    prices: {
      prompt: ticksToUsdPerMillion(prices.promptTextTokenTicks),
      cached: ticksToUsdPerMillion(prices.cachedPromptTextTokenTicks),
      completion: ticksToUsdPerMillion(prices.completionTextTokenTicks),
      image: ticksToUsd(BigInt(prices.imageTicks ?? 0)),
    },
  };
}

function presentProjector({ path, images, audio }: ProjectorFile): z.infer<typeof projector> {
  return { file: basename(path), images, audio };
}
