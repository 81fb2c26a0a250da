/** `hearth prices set` and `hearth prices ls`: the prices that teams are charged. */
import type { Command } from "commander";
import type { OperatorModels } from "../../app/app.js";
import { HearthError } from "../../core/errors.js";
import type { Model, ModelKind } from "../../core/model.js";
import { isFree, ticksToUsd, ticksToUsdPerMillion, type Prices } from "../../core/money.js";
import { reportInvalidValues } from "../command-helpers.js";
import { formatJson, formatTable } from "../table.js";
import type { ModelCommands } from "./deps.js";
import { pricesCommand } from "./prices-command.js";

interface Options {
  readonly prompt?: string;
  readonly completion?: string;
  readonly cached?: string;
  readonly image?: string;
  readonly json?: true;
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
export function addChargedPricesCommands(program: Command, { open, out }: ModelCommands): void {
  const prices = pricesCommand(program);
  const print = (rows: readonly PricesRow[], json: boolean): void =>
    void out.write(json ? formatJson(rows) : toTable(rows));
  prices
    .command("set")
    .description("set what teams are charged for a model")
    .argument("<model>", "ID or alias")
    .option("--prompt <usd>", "price of a million prompt tokens")
    .option("--completion <usd>", "price of a million generated tokens, including reasoning")
    .option("--cached <usd>", "price of a million cached prompt tokens (default: as --prompt)")
    .option("--image <usd>", "price of a generated image")
    .option("--json", "print one JSON array")
    .action(async (name: string, { json, ...written }: Options, command: Command) => {
      const models = await open();
      const model = models.resolve(name);
      await reportInvalidValues(command, async () => {
        refuseMissing(model, written);
        await models.change(model.manifest.id, { prices: toNumbers(written) });
      });
      await models.refresh();
      print([toRow(models, models.resolve(model.manifest.id))], json === true);
    });
  prices
    .command("ls")
    .description("list what teams are charged for each model")
    .option("--json", "print one JSON array")
    .action(async ({ json }: { json?: true }) => {
      const models = await open();
      print(
        models.list().map((model) => toRow(models, model)),
        json === true,
      );
    });
}

function refuseMissing({ manifest: { kind } }: Model, written: Options): void {
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

function toRow(models: OperatorModels, { manifest: { id, prices } }: Model): PricesRow {
  const set = models.listSettings(id).find(({ name }) => name.startsWith("prices."));
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

function toTable(rows: readonly PricesRow[]): string {
  return formatTable(
    ["MODEL", "PROMPT USD", "CACHED USD", "COMPLETION USD", "IMAGE USD", "SET BY"],
    rows.map((row) => [row.id, row.promptUsd, row.cachedUsd, row.completionUsd, row.imageUsd, row.source]),
  );
}
