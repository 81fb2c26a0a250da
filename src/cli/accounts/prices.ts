/** `hearth prices compare`: manages the prices of hosted services that `hearth usage --as hosted` compares with. No team is charged by them. */
import type { Command } from "commander";
import type { SetHostedPriceRequest } from "../../accounts/money/hosted-prices.js";
import type { OperatorHostedPrice } from "../../http/management/operator/hosted-prices.js";
import { pricesCommand } from "../models/prices-command.js";
import { withQuery } from "../operator.js";
import { printListing, withListing, type ListingOptions } from "../listing.js";
import type { TableColumn } from "../table.js";
import {
  reportInvalidValues,
  forEachReference,
  type AccountsIo,
  type UsingOperator,
} from "../command-helpers.js";

type SetOptions = Omit<SetHostedPriceRequest, "alias"> & ListingOptions;

/** Adds `prices compare set`, `prices compare ls` and `prices compare rm`. */
export function addPricesCommand(program: Command, using: UsingOperator, io: AccountsIo): void {
  const prices = pricesCommand(program)
    .command("compare")
    .description("set, list and remove prices of hosted services for comparison");
  const path = "/operator/hosted-prices";
  const print = (items: readonly OperatorHostedPrice[], options: ListingOptions): void =>
    printListing(io, options, {
      items,
      columns,
      empty:
        "No prices for comparison. Set some: hearth prices compare set ALIAS --prompt USD --completion USD",
    });
  withListing(prices.command("set"))
    .description(
      "set the prices of a million tokens from now on; the first prices of an alias also apply to earlier usage",
    )
    .argument("<alias>", "the model name that requests use")
    .requiredOption("--prompt <usd>", "price of a million prompt tokens")
    .requiredOption("--completion <usd>", "price of a million generated tokens, including reasoning")
    .option("--cached <usd>", "price of a million cached prompt tokens (default: as --prompt)")
    .action(async (alias: string, options: SetOptions, command: Command) => {
      const { json, wide, ...price } = options;
      const set = () => using((api) => api.request<OperatorHostedPrice>("PUT", path, { alias, ...price }));
      print([await reportInvalidValues(command, set)], { json, wide });
    });
  withListing(prices.command("ls").alias("list"))
    .description("list the current prices")
    .action(async (options: ListingOptions) => {
      const { prices: all } = await using((api) => api.get<{ prices: readonly OperatorHostedPrice[] }>(path));
      print(all, options);
    });
  prices
    .command("rm")
    .alias("delete")
    .description("remove all prices of an alias, including earlier ones")
    .argument("<alias...>")
    .action(async (aliases: readonly string[]) =>
      using((api) =>
        forEachReference(aliases, async (alias) => {
          await api.request("DELETE", withQuery(path, { alias }));
          io.out.write(`removed the prices of ${alias}\n`);
        }),
      ),
    );
}

/** Prices are in USD per million tokens. */
const columns: readonly TableColumn<OperatorHostedPrice>[] = [
  { title: "ALIAS", cell: ({ alias }) => alias, charsMin: 16 },
  { title: "PROMPT USD", cell: ({ promptUsd }) => promptUsd, kind: "number" },
  { title: "CACHED USD", cell: ({ cachedUsd }) => cachedUsd, kind: "number", leftOut: 2 },
  { title: "COMPLETION USD", cell: ({ completionUsd }) => completionUsd, kind: "number" },
  { title: "SINCE", cell: ({ createTime }) => createTime, kind: "time", leftOut: 1 },
];
