/** `hearth prices compare`: manages the prices of hosted services that `hearth usage --as hosted` compares with. No team is charged by them. */
import type { Command } from "commander";
import type { SetHostedPriceRequest } from "../../accounts/money/hosted-prices.js";
import type { HostedPrice } from "../../accounts/money/hosted-price.js";
import { ticksToUsdPerMillion } from "../../core/money.js";
import { pricesCommand } from "../models/prices-command.js";
import { formatJson, formatTable } from "../table.js";
import {
  reportInvalidValues,
  forEachReference,
  type AccountsIo,
  type UsingAccounts,
} from "../command-helpers.js";

interface Json {
  readonly json?: true;
}

/** Adds `prices compare set`, `prices compare ls` and `prices compare rm`. */
export function addPricesCommand(program: Command, using: UsingAccounts, { out }: AccountsIo): void {
  const prices = pricesCommand(program)
    .command("compare")
    .description("set, list and remove prices of hosted services for comparison");
  const print = (all: readonly HostedPrice[], json: boolean): void =>
    void out.write(json ? formatJson(all.map(toJson)) : toTable(all));
  prices
    .command("set")
    .description(
      "set the prices of a million tokens from now on; the first prices of an alias also apply to earlier usage",
    )
    .argument("<alias>", "the model name that requests use")
    .requiredOption("--prompt <usd>", "price of a million prompt tokens")
    .requiredOption("--completion <usd>", "price of a million generated tokens, including reasoning")
    .option("--cached <usd>", "price of a million cached prompt tokens (default: as --prompt)")
    .option("--json", "print one JSON array")
    .action(async (alias: string, options: Omit<SetHostedPriceRequest, "alias"> & Json, command: Command) => {
      const { json, ...price } = options;
      const set = () => using(({ hostedPrices, actor }) => hostedPrices.set({ alias, ...price }, actor));
      print([await reportInvalidValues(command, set)], json === true);
    });
  prices
    .command("ls")
    .description("list the current prices")
    .option("--json", "print one JSON array")
    .action(async ({ json }: Json) =>
      print(await using(({ hostedPrices }) => hostedPrices.list()), json === true),
    );
  prices
    .command("rm")
    .description("remove all prices of an alias, including earlier ones")
    .argument("<alias...>")
    .action(async (aliases: readonly string[]) =>
      using(({ hostedPrices, actor }) =>
        forEachReference(aliases, async (alias) => {
          await hostedPrices.remove(alias, actor);
          out.write(`${alias}\n`);
        }),
      ),
    );
}

function toJson({ alias, createTime, ...price }: HostedPrice) {
  return {
    alias,
    promptUsd: ticksToUsdPerMillion(price.promptTicks),
    cachedUsd: ticksToUsdPerMillion(price.cachedTicks),
    completionUsd: ticksToUsdPerMillion(price.completionTicks),
    createTime: new Date(createTime).toISOString(),
  };
}

/** Prices are in USD per million tokens. */
function toTable(all: readonly HostedPrice[]): string {
  const rows = all.map(toJson);
  return formatTable(
    ["ALIAS", "PROMPT USD", "CACHED USD", "COMPLETION USD", "SINCE"],
    rows.map((row) => [row.alias, row.promptUsd, row.cachedUsd, row.completionUsd, row.createTime]),
  );
}
