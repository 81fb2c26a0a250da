/** `hearth prices`: what hosted services charge by a name, for `hearth usage --as hosted`. Nobody is charged by them. */
import type { Command } from "commander";
import type { PriceWish } from "../../accounts/money/hosted-prices.js";
import type { HostedPrice } from "../../accounts/money/hosted-price.js";
import { ticksToPerMillion } from "../../core/money.js";
import { formatJson, formatTable } from "../table.js";
import { asUsage, toEach, type AccountsIo, type UsingAccounts } from "./open-accounts.js";

interface Json {
  readonly json?: true;
}

/** Adds `prices set`, `prices ls` and `prices rm`. */
export function addPricesCommand(program: Command, using: UsingAccounts, { out }: AccountsIo): void {
  const prices = program.command("prices").description("keep the prices of hosted services, to compare with");
  const print = (all: readonly HostedPrice[], json: boolean): void =>
    void out.write(json ? formatJson(all.map(toJson)) : toTable(all));
  prices
    .command("set")
    .description(
      "set what a million tokens cost from now on; the first prices of a name also hold for before",
    )
    .argument("<alias>", "the name by which the model is asked for")
    .requiredOption("--prompt <usd>", "of a million prompt tokens")
    .requiredOption("--completion <usd>", "of a million tokens that are made, reasoning included")
    .option("--cached <usd>", "of a million prompt tokens found in the cache (default: as --prompt)")
    .option("--json", "print one JSON array")
    .action(async (alias: string, options: Omit<PriceWish, "alias"> & Json, command: Command) => {
      const { json, ...wish } = options;
      const set = () => using(({ hostedPrices, actor }) => hostedPrices.set({ alias, ...wish }, actor));
      print([await asUsage(command, set)], json === true);
    });
  prices
    .command("ls")
    .description("list the prices that hold now")
    .option("--json", "print one JSON array")
    .action(async ({ json }: Json) =>
      print(await using(({ hostedPrices }) => hostedPrices.list()), json === true),
    );
  prices
    .command("rm")
    .description("remove the prices of a name, those of before as well")
    .argument("<alias...>")
    .action(async (aliases: readonly string[]) =>
      using(({ hostedPrices, actor }) =>
        toEach(aliases, async (alias) => {
          await hostedPrices.remove(alias, actor);
          out.write(`${alias}\n`);
        }),
      ),
    );
}

function toJson({ alias, createTime, ...price }: HostedPrice) {
  return {
    alias,
    promptUsd: ticksToPerMillion(price.promptTicks),
    cachedUsd: ticksToPerMillion(price.cachedTicks),
    completionUsd: ticksToPerMillion(price.completionTicks),
    createTime: new Date(createTime).toISOString(),
  };
}

/** In USD for a million tokens. */
function toTable(all: readonly HostedPrice[]): string {
  const rows = all.map(toJson);
  return formatTable(
    ["ALIAS", "PROMPT USD", "CACHED USD", "COMPLETION USD", "SINCE"],
    rows.map((row) => [row.alias, row.promptUsd, row.cachedUsd, row.completionUsd, row.createTime]),
  );
}
