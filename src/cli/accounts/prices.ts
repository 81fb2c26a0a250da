/** `hearth prices compare`: manages the prices of hosted services that `hearth usage --as hosted` compares with. No team is charged by them. */
import type { Command } from "commander";
import type { SetHostedPriceRequest } from "../../accounts/money/hosted-prices.js";
import type { OperatorHostedPrice } from "../../http/management/operator/hosted-prices.js";
import { pricesCommand } from "../models/prices-command.js";
import { withQuery } from "../operator.js";
import { formatJson, formatTable } from "../table.js";
import {
  reportInvalidValues,
  forEachReference,
  type AccountsIo,
  type UsingOperator,
} from "../command-helpers.js";

interface Json {
  readonly json?: true;
}

/** Adds `prices compare set`, `prices compare ls` and `prices compare rm`. */
export function addPricesCommand(program: Command, using: UsingOperator, { out }: AccountsIo): void {
  const prices = pricesCommand(program)
    .command("compare")
    .description("set, list and remove prices of hosted services for comparison");
  const path = "/operator/hosted-prices";
  const print = (all: readonly OperatorHostedPrice[], json: boolean): void =>
    void out.write(json ? formatJson(all) : toTable(all));
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
      const set = () => using((api) => api.request<OperatorHostedPrice>("PUT", path, { alias, ...price }));
      print([await reportInvalidValues(command, set)], json === true);
    });
  prices
    .command("ls")
    .description("list the current prices")
    .option("--json", "print one JSON array")
    .action(async ({ json }: Json) => {
      const { prices: all } = await using((api) => api.get<{ prices: readonly OperatorHostedPrice[] }>(path));
      print(all, json === true);
    });
  prices
    .command("rm")
    .description("remove all prices of an alias, including earlier ones")
    .argument("<alias...>")
    .action(async (aliases: readonly string[]) =>
      using((api) =>
        forEachReference(aliases, async (alias) => {
          await api.request("DELETE", withQuery(path, { alias }));
          out.write(`${alias}\n`);
        }),
      ),
    );
}

/** Prices are in USD per million tokens. */
function toTable(all: readonly OperatorHostedPrice[]): string {
  return formatTable(
    ["ALIAS", "PROMPT USD", "CACHED USD", "COMPLETION USD", "SINCE"],
    all.map((price) => [
      price.alias,
      price.promptUsd,
      price.cachedUsd,
      price.completionUsd,
      price.createTime,
    ]),
  );
}
