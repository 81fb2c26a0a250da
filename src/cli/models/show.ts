/** `hearth show`: prints what is known of a model. */
import type { Command } from "commander";
import type { Config } from "../../config/config.js";
import type { Model } from "../../core/model.js";
import { contextText } from "../../core/report/context-text.js";
import { projectorText } from "../../core/report/projector-text.js";
import type { EngineReport } from "../../doctor/engine-report.js";
import type { FitReport, KnownInMemory } from "../../doctor/model-fit.js";
import type { TemplateReport } from "../../doctor/template-report.js";
import { resolveModel } from "../../models/closest-names.js";
import type { ModelDetails } from "../../models/library/details.js";
import type { ModelAlias, ModelSetting } from "../../models/admin/setting-sources.js";
import { formatJson } from "../table.js";
import type { ModelCommands } from "./deps.js";
import { knownInMemory } from "./fit.js";
import { fitRows, type ReportRow } from "./fit-text.js";
import { toUsdPrices } from "./prices.js";
import { sectionsText } from "./sections.js";
import { valueText } from "./settings-text.js";

interface Options {
  readonly json?: true;
  readonly template?: true;
}

interface Shown {
  readonly model: Model;
  readonly details: ModelDetails;
  readonly aliases: readonly ModelAlias[];
  readonly settings: readonly ModelSetting[];
  /** The servers of the remote engine that runs it; empty where it runs in the server itself. */
  readonly engine: readonly EngineReport[];
  /** null for a model that is unusable. */
  readonly template: TemplateReport | null;
  /** null, too, for a model that a remote engine runs. */
  readonly fit: FitReport | null;
}

/** Adds the command. */
export function addShowCommand(program: Command, { open, load, out }: ModelCommands): void {
  program
    .command("show")
    .description("print what is known of a model")
    .argument("<model>", "ID or alias")
    .option("--template", "print the chat template and nothing else")
    .option("--json", "print one JSON object")
    .action(async (name: string, { json, template }: Options) => {
      const { readDetails } = await import("../../models/library/details.js");
      const { models, sources } = await open();
      const model = resolveModel(models, name);
      const { id } = model.manifest;
      const details = await readDetails(model);
      if (template === true) {
        out.write(`${describeTemplate(model, details)}\n`);
        return;
      }
      const isUsable = model.unusable === null;
      const { config } = await load();
      const isHere = isUsable && model.remote === undefined;
      const inMemory = isHere ? await knownInMemory(config) : [];
      const shown: Shown = {
        model,
        details,
        aliases: sources.aliases().filter((alias) => alias.model === id),
        settings: sources.settings(id),
        template: isUsable ? await readTemplate(model) : null,
        engine: await fetchServers(config, model),
        fit: isHere ? await measureFit(config, model, inMemory) : null,
      };
      out.write(json === true ? formatJson(toJson(shown)) : toText(shown));
    });
}

async function readTemplate(model: Model): Promise<TemplateReport> {
  const { readModelTemplate } = await import("../../doctor/template-report.js");
  return readModelTemplate(model);
}

async function measureFit(
  config: Config,
  model: Model,
  inMemory: readonly KnownInMemory[],
): Promise<FitReport> {
  const { measureLocalFit } = await import("../../app/models/models.js");
  return measureLocalFit(config, model, { inMemory });
}

/** Asks the servers of the remote engine that runs a model. */
async function fetchServers(config: Config, { remote }: Model): Promise<readonly EngineReport[]> {
  if (remote === undefined) return [];
  const { examineEngine } = await import("../../app/doctor.js");
  return examineEngine({ config }, remote.engineId);
}

/** @throws Error when the model has no template. */
function describeTemplate({ manifest, load }: Model, { chatTemplate }: ModelDetails): string {
  const text = load?.template ?? chatTemplate;
  if (text === null) throw new Error(`'${manifest.id}' has no chat template`);
  return text;
}

function toText({ model, details, aliases, settings, engine, template, fit }: Shown): string {
  const { manifest } = model;
  const { origin, sha256 } = details;
  return sectionsText([
    ["Model", modelRows(model, details)],
    ["License", [["license", origin?.license ?? manifest.license]]],
    [
      "Source",
      [
        ...optional("path", model.path === "" ? null : (model.tokenizerFile ?? model.path)),
        ...optional("source", origin === null ? null : sourceText(origin)),
        ...optional("sha256", sha256),
      ],
    ],
    ["Aliases", aliases.map(({ alias, source }): ReportRow => [alias, source])],
    ["Prices in USD for a million tokens", priceRows(model)],
    [
      "Settings",
      settings.map(({ name, value, source }): ReportRow => [name, `${valueText(name, value)}   (${source})`]),
    ],
    ["Engine", engineRows(model, engine)],
    ["Template", template === null ? [] : templateRows(template)],
    ["Memory", fit === null ? [] : fitRows(fit)],
  ]);
}

function engineRows(model: Model, engine: readonly EngineReport[]): readonly ReportRow[] {
  const missing = model.remote?.notGuaranteed ?? [];
  return [
    ...optional("tokenizer", tokenizerSource(model)),
    ...engine.map(({ name, detail }): ReportRow => [name.replace("engine ", ""), detail]),
    ...optional("not guaranteed", missing.length === 0 ? null : missing.join(", ")),
  ];
}

/** Returns where the vocabulary of a model on a remote engine comes from; null for another model. */
function tokenizerSource({ remote, path, tokenizerFile }: Model): string | null {
  if (remote === undefined) return null;
  if (path === "") return "none: the engine is sent texts";
  return tokenizerFile === undefined ? "the GGUF file" : "tokenizer.json, in llama.cpp's form";
}

function modelRows(
  { manifest, trainedTokens, unusable, load, projectorProblem }: Model,
  details: ModelDetails,
): readonly ReportRow[] {
  const { id, kind, name, contextTokens } = manifest;
  const { experts, parameters, layers, embeddingLength } = details;
  return [
    ["id", id],
    ...optional("unusable", unusable),
    ["name", name],
    ["kind", kind],
    ["architecture", details.architecture ?? manifest.family],
    ...optional("parameters", parameters === null ? null : parametersText(parameters)),
    ...optional("experts", experts === null ? null : `${experts.used} of ${experts.count} for a token`),
    ...optional("projector", load?.projector === undefined ? null : projectorText(load.projector)),
    ...optional("projector", projectorProblem ?? null),
    ...optional("layers", layers),
    ...optional("embedding length", embeddingLength),
    ...optional("quantization", details.quantization),
    ["context", contextText(contextTokens, trainedTokens)],
  ];
}

function priceRows({ manifest: { prices, kind } }: Model): readonly ReportRow[] {
  const usd = toUsdPrices(prices);
  if (kind === "image") return [["image", `${usd.imageUsd} for each`]];
  const rows: readonly ReportRow[] = [
    ["prompt", usd.promptUsd],
    ["cached prompt", usd.cachedUsd],
    ["completion", usd.completionUsd],
  ];
  return kind === "embedding" || kind === "rerank" ? rows.slice(0, 1) : rows;
}

function templateRows({ repairs, call, reasoning }: TemplateReport): readonly ReportRow[] {
  return [
    ...optional("repairs", repairs.length === 0 ? null : repairs.join(", ")),
    ...optional("tool calls", call?.replaceAll("\n", "\\n") ?? null),
    ...optional("reasoning", reasoning?.replaceAll("\n", "\\n") ?? null),
  ];
}

function sourceText({ source, revision, name }: NonNullable<ModelDetails["origin"]>): string {
  const at = revision === null ? source : `${source} at ${revision}`;
  return name === null ? at : `${name} (${at})`;
}

function optional(name: string, value: string | number | null): readonly ReportRow[] {
  return value === null ? [] : [[name, String(value)]];
}

/** Returns a number of parameters such as `5.2M` or `7.6B`. */
function parametersText(count: number): string {
  return count < 1e9 ? `${(count / 1e6).toFixed(1)}M` : `${(count / 1e9).toFixed(1)}B`;
}

function toJson({ model, details, aliases, settings, engine, template, fit }: Shown) {
  const { manifest, trainedTokens = null, unusable, path } = model;
  const { id, name, kind, bytes, contextTokens } = manifest;
  const { architecture, parameters, layers, embeddingLength, quantization, experts } = details;
  return {
    id,
    name,
    kind,
    unusable,
    architecture: architecture ?? manifest.family,
    parameters,
    layers,
    embeddingLength,
    quantization,
    experts,
    bytes,
    contextTokens,
    trainedTokens,
    inputModalities: manifest.inputModalities,
    projector: model.load?.projector?.path ?? null,
    license: details.origin?.license ?? manifest.license,
    path: model.tokenizerFile ?? path,
    source: details.origin,
    sha256: details.sha256,
    aliases: aliases.map(({ alias, source }) => ({ alias, source })),
    prices: toUsdPrices(manifest.prices),
    settings,
    engine,
    tokenizer: tokenizerSource(model),
    notGuaranteed: model.remote?.notGuaranteed ?? [],
    template,
    fit,
  };
}
