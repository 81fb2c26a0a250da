/** Applies the settings of the operator to a model as its files describe it. */
import { createHash } from "node:crypto";
import { basename, isAbsolute, join } from "node:path";
import {
  isGgufKind,
  type Adapter,
  type LoadSettings,
  type Modality,
  type Placement,
  type Model,
  type ProjectorFile,
  type RequestDefaults,
} from "../core/model.js";
import type { Prices } from "../core/money.js";
import { readRegularFile } from "../system/regular-file.js";
import { mismatch } from "./adapters.js";
import { readAdapter } from "./gguf/adapter.js";
import { readProjector } from "./gguf/projector.js";
import { quoted } from "./gguf/refusal.js";
import type { FoundModel } from "./folders/scan.js";
import { readCapabilities } from "./describe.js";
import { isTemplatePath } from "./setting-paths.js";
import type { ModelSettings } from "./settings.js";

const ticksPerUsd = 10_000_000_000;
const ticksPerUsdPerMillion = ticksPerUsd / 1_000_000;
const templateBytesMax = 1_000_000;

/** The largest context of a model, in tokens, or how to find the context of a model without a manifest from what it costs. */
export type ContextLimit = number | ((cost: ContextCost, load: LoadSettings) => number);

/** What the length of a model's context depends on. */
interface ContextCost {
  /** Bytes of the weights. */
  readonly bytes: number;
  readonly kvBytesPerToken: number;
  readonly trainedTokens: number;
}

/**
 * Returns the model with its settings: prices, context, defaults, how it is loaded, and the fingerprint of all that changes its output.
 * Its aliases are assigned elsewhere. A setting that cannot be used makes the model unusable, with the reason.
 * @param engine build and settings of the engine
 */
export async function applySettings(
  found: FoundModel,
  settings: ModelSettings,
  limit: ContextLimit,
  engine: string,
): Promise<Model> {
  const { load, problem } = await toLoadSettings(settings, found);
  const { projector } = load;
  const { manifest } = found.model;
  const { reasoningTokensMax = manifest.reasoningTokensMax } = settings;
  const contextTokens = Math.min(
    settings.context ?? Number.POSITIVE_INFINITY,
    findContextTokens(found, settings, limit, load),
  );
  return {
    ...found.model,
    manifest: {
      ...manifest,
      contextTokens,
      prices: mergePrices(settings, manifest.prices),
      capabilities:
        load.template === undefined ? manifest.capabilities : readCapabilities(manifest.kind, load.template),
      reasoningTokensMax,
      inputModalities: addModalities(manifest.inputModalities, projector),
    },
    unusable: found.model.unusable ?? problem,
    fingerprint: computeFingerprint(found.model, [engine, contextTokens, load]),
    load: Object.keys(load).length === 0 ? undefined : load,
    defaults: toDefaults(settings, manifest.answerTokensMax),
  };
}

function addModalities(own: readonly Modality[], projector: ProjectorFile | undefined): readonly Modality[] {
  const added = new Set(own);
  if (projector?.images === true) added.add("image");
  if (projector?.audio === true) added.add("audio");
  return [...added];
}

/** Returns the longest context that the model supports and, where nobody says how long it is to be, that memory allows. */
function findContextTokens(
  { model, isBare }: FoundModel,
  settings: ModelSettings,
  limit: ContextLimit,
  load: LoadSettings,
): number {
  const { manifest, kvBytesPerToken, trainedTokens } = model;
  if (!isGgufKind(manifest.kind)) return manifest.contextTokens;
  if (!isBare)
    return typeof limit === "number" ? Math.min(manifest.contextTokens, limit) : manifest.contextTokens;
  if (typeof limit === "number") return Math.min(trainedTokens ?? limit, limit);
  if (trainedTokens === undefined || settings.context !== undefined) return manifest.contextTokens;
  return Math.min(trainedTokens, limit({ bytes: manifest.bytes, kvBytesPerToken, trainedTokens }, load));
}

/** Returns the fingerprint of the weights with all that changes their output: build, cache type, context, template and adapters. */
function computeFingerprint({ fingerprint }: Model, rest: readonly unknown[]): string {
  return `fp_${createHash("sha256")
    .update(JSON.stringify([fingerprint, ...rest]))
    .digest("hex")
    .slice(0, 10)}`;
}

function mergePrices({ prices }: ModelSettings, own: Prices): Prices {
  if (prices === undefined) return own;
  const perToken = (usd: number | undefined, otherwise: number): number =>
    usd === undefined ? otherwise : Math.round(usd * ticksPerUsdPerMillion);
  const promptTextTokenTicks = perToken(prices.prompt, own.promptTextTokenTicks);
  const cachedOtherwise = prices.prompt === undefined ? own.cachedPromptTextTokenTicks : promptTextTokenTicks;
  const imageTicks = prices.image === undefined ? own.imageTicks : Math.round(prices.image * ticksPerUsd);
  return {
    promptTextTokenTicks,
    cachedPromptTextTokenTicks: perToken(prices.cached, cachedOtherwise),
    completionTextTokenTicks: perToken(prices.completion, own.completionTextTokenTicks),
    imageTicks,
  };
}

function toDefaults(
  { system, sampling }: ModelSettings,
  answerTokensMax: number | undefined,
): RequestDefaults | undefined {
  const { maxTokens, ...rest } = sampling ?? {};
  const defaults = withoutAbsent({
    system,
    sampling: Object.keys(rest).length === 0 ? undefined : rest,
    maxTokens,
    maxTokensOtherwise: answerTokensMax,
  });
  return Object.keys(defaults).length === 0 ? undefined : defaults;
}

interface FoundLoadSettings {
  readonly load: LoadSettings;
  /** A public clause that says which setting cannot be used; null if all can. */
  readonly problem: string | null;
}

async function toLoadSettings(
  settings: ModelSettings,
  { model, root, adapter, projector: projectorBeside }: FoundModel,
): Promise<FoundLoadSettings> {
  const { slots, kvCache, gpuLayers, keepAlive, template } = settings;
  const { adapters, problem } = await findAdapters(settings, model, root);
  const text = template === undefined ? undefined : await templateText(template, root);
  const projector = await findProjector(settings, root, projectorBeside);
  const own = withoutAbsent({
    slots,
    kvCacheType: kvCache,
    gpuLayers,
    placement: toPlacement(settings),
    keepAliveMs: keepAlive,
    template: text ?? undefined,
    projector: projector ?? undefined,
    adapters: adapters.length === 0 ? undefined : adapters,
  });
  const load = { ...model.load, ...own };
  if (adapter === null && (settings.base !== undefined || settings.scale !== undefined))
    return { load, problem: "its settings base and scale are for LoRA adapters, and it is a whole model." };
  if (template !== undefined && model.manifest.kind !== "chat")
    return { load, problem: "its setting template is for chat models only." };
  if (settings.projector !== undefined && model.manifest.kind !== "chat")
    return { load, problem: "its setting projector is for chat models only." };
  if (projector === null)
    return { load, problem: "its setting projector names a file that is no projector (mmproj) in GGUF." };
  if (text !== null) return { load, problem };
  const unread = `its setting template names a file that cannot be read, or that is larger than ${templateBytesMax} bytes.`;
  return { load, problem: unread };
}

/** Returns where tensors are placed; undefined where no setting says it. */
function toPlacement(settings: ModelSettings): Placement | undefined {
  const { cpuExperts, cpuTensors, mainGpu, gpuSplit, gpuShares } = settings;
  const placement = withoutAbsent({ cpuExperts, cpuTensors, mainGpu, gpuSplit, gpuShares });
  return Object.keys(placement).length === 0 ? undefined : placement;
}

/** Returns the projector of the setting, or the one beside the model; undefined if there is none, null if the setting names none. */
async function findProjector(
  { projector }: ModelSettings,
  root: string,
  beside: ProjectorFile | undefined,
): Promise<ProjectorFile | undefined | null> {
  if (projector === undefined) return beside;
  return projector === "none" ? undefined : readProjector(inFolder(root, projector));
}

/** Returns the text of a template, or of the file that is named; null if the file cannot be read. */
async function templateText(template: string, root: string): Promise<string | null> {
  if (!isTemplatePath(template)) return template;
  const content = await readRegularFile(inFolder(root, template), templateBytesMax).catch(() => null);
  return content?.toString("utf8") ?? null;
}

/** Returns the model's adapters and the adapters of the setting lora, up to the first that cannot be used, and why that cannot be. */
async function findAdapters(
  { lora = [] }: ModelSettings,
  model: Model,
  root: string,
): Promise<{ readonly adapters: readonly Adapter[]; readonly problem: string | null }> {
  const adapters: Adapter[] = [...(model.load?.adapters ?? [])];
  for (const { file, scale } of lora) {
    const found = await readAdapter(inFolder(root, file));
    const named = `its setting lora names the file ${quoted(basename(file))}`;
    if (found === null) return { adapters, problem: `${named}, which is not a LoRA adapter in GGUF.` };
    const reason = await mismatch(found, model);
    if (reason !== null) return { adapters, problem: `${named}, which cannot be applied: ${reason}` };
    const { path, bytes, modifiedTime } = found;
    adapters.push({ path, bytes, modifiedTime, scale });
  }
  return { adapters, problem: null };
}

function inFolder(folder: string, path: string): string {
  return isAbsolute(path) ? path : join(folder, path);
}

/** Removes the fields that are undefined. */
function withoutAbsent<Fields extends object>(fields: Fields): Partial<Fields> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Partial<Fields>;
}
