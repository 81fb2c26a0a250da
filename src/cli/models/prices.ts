/** `hearth prices set` and `hearth prices ls`: the prices that teams are charged. */
import type { Command } from "commander";
import { HearthError } from "../../core/errors.js";
import type { ModelKind } from "../../core/model.js";
import { isFree, ticksToUsd, ticksToUsdPerMillion, type Prices } from "../../core/money.js";
import type { OperatorModel } from "../../http/management/operator/models.js";
import { reportInvalidValues } from "../command-helpers.js";
import { printListing, withListing, type ListingOptions } from "../listing.js";
import type { TableColumn } from "../table.js";
import type { ModelCommands } from "./deps.js";
import { pricesCommand } from "./prices-command.js";

interface Options extends ListingOptions {
  readonly prompt?: string;
  readonly completion?: string;
  readonly cached?: string;
  readonly image?: string;
}

/** The prices without which a model of a kind would work for nothing. */
const neededPrices: Readonly<Record<ModelKind, readonly ("prompt" | "completion" | "image")[]>> = {
  chat: ["prompt", "completion"],
  vision: ["prompt", "completion"],
  embedding: ["prompt"],
  rerank: ["prompt"],
  image: ["image"],
};

/** Adds the commands. */
export function addChargedPricesCommands(program: Command, { open, using, ...io }: ModelCommands): void {
  const prices = pricesCommand(program);
  const print = (items: readonly PricesRow[], options: ListingOptions): void =>
    printListing(io, options, { items, columns, empty: "No models. Download one: hearth pull qwen3:4b" });
  withListing(prices.command("set"))
    .description("set what teams are charged for a model")
    .argument("<model>", "ID or alias")
    .option("--prompt <usd>", "price of a million prompt tokens")
    .option("--completion <usd>", "price of a million generated tokens, including reasoning")
    .option("--cached <usd>", "price of a million cached prompt tokens (default: as --prompt)")
    .option("--image <usd>", "price of a generated image")
    .action(async (name: string, { json, wide, ...written }: Options, command: Command) => {
      const changed = await using(async (api) => {
        const { id, kind } = await api.get<OperatorModel>("/operator/models", { model: name });
        return reportInvalidValues(command, async () => {
          refuseMissing(kind, written);
          const change = { prices: toNumbers(written) };
          return api.request<OperatorModel>("PUT", "/operator/models", { model: id, change });
        });
      });
      print([toRow(changed)], { json, wide });
    });
  withListing(prices.command("ls").alias("list"))
    .description("list what teams are charged for each model")
    .action(async (options: ListingOptions) => {
      const { models, sources } = await open();
      const rows = models.list().map(({ manifest: { id, prices } }) => {
        return toRow({ id, prices, settings: sources.settings(id) });
      });
      print(rows, options);
    });
}

function refuseMissing(kind: ModelKind, written: Options): void {
  const missing = neededPrices[kind].find((name) => written[name] === undefined);
  if (missing !== undefined)
    throw new HearthError("invalid_value", `--${missing}: the price of ${describePrices(kind)} needs it`);
}

/** What is no number stays as it is written, so that the error names it. */
function toNumbers(written: Options): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(written).map(([name, usd]) => [
      name,
      /^\d+(\.\d+)?$/.test(String(usd)) ? Number(usd) : usd,
    ]),
  );
}

function describePrices(kind: ModelKind): string {
  return kind === "image" || kind === "embedding" ? `an ${kind} model` : `a ${kind} model`;
}

interface PricesRow {
  readonly id: string;
  readonly promptUsd: string;
  readonly cachedUsd: string;
  readonly completionUsd: string;
  readonly imageUsd: string;
  /** The path of the configuration file, `hearth set`, `manifest`, or `none`. */
  readonly source: string;
}

/** A model with its prices and all its settings. */
interface PricedModel {
  readonly id: string;
  readonly prices: Prices;
  readonly settings: OperatorModel["settings"];
}

function toRow({ id, prices, settings }: PricedModel): PricesRow {
  const set = settings.find(({ name }) => name.startsWith("prices."));
  return { id, ...toUsdPrices(prices), source: set?.source ?? (isFree(prices) ? "none" : "manifest") };
}

/** Returns the prices in USD: of a million tokens, and of an image. */
export function toUsdPrices(prices: Prices): Omit<PricesRow, "id" | "source"> {
  return {
    promptUsd: ticksToUsdPerMillion(prices.promptTextTokenTicks),
    cachedUsd: ticksToUsdPerMillion(prices.cachedPromptTextTokenTicks),
    completionUsd: ticksToUsdPerMillion(prices.completionTextTokenTicks),
    imageUsd: ticksToUsd(BigInt(prices.imageTicks ?? 0)),
  };
}

const columns: readonly TableColumn<PricesRow>[] = [
  { title: "MODEL", cell: ({ id }) => id, charsMin: 16 },
  { title: "PROMPT USD", cell: ({ promptUsd }) => promptUsd, kind: "number" },
  { title: "CACHED USD", cell: ({ cachedUsd }) => cachedUsd, kind: "number", leftOut: 1 },
  { title: "COMPLETION USD", cell: ({ completionUsd }) => completionUsd, kind: "number" },
  { title: "IMAGE USD", cell: ({ imageUsd }) => imageUsd, kind: "number" },
  { title: "SET BY", cell: ({ source }) => source, charsMin: 8 },
];
