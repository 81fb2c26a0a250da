/** `hearth credits`: shows and changes the credit and the spending limits of teams, with or without a running server. */
import type { Command } from "commander";
import type { CreditChange } from "../../accounts/money/credits.js";
import type { OperatorCredits } from "../../http/management/operator/credits.js";
import type { OperatorClient } from "../operator.js";
import { printListing, withListing, type ListingOptions } from "../listing.js";
import type { TableColumn } from "../table.js";
import { reportInvalidValues, type AccountsIo, type UsingOperator } from "../command-helpers.js";

interface Options extends ListingOptions {
  readonly note?: string;
}

interface LimitOptions extends ListingOptions {
  readonly hard?: string;
  readonly soft?: string;
}

const changes: readonly (readonly [verb: string, kind: CreditChange, description: string])[] = [
  ["add", "purchase", "add credit that a team has bought"],
  ["refund", "refund", "subtract credit that was paid back"],
  ["adjust", "adjust", "correct a team's credit; a negative amount goes after --"],
];

/** Adds `credits add`, `credits refund`, `credits adjust`, `credits ls` and `credits limit`. */
export function addCreditsCommand(program: Command, using: UsingOperator, io: AccountsIo): void {
  const credits = program
    .command("credits")
    .description("show and change the credit and spending limits of teams");
  const print = (items: readonly OperatorCredits[], options: ListingOptions): void =>
    printListing(io, options, {
      items,
      columns,
      empty: "No teams, so no credit. Make a team: hearth teams create NAME",
    });
  for (const [verb, kind, description] of changes)
    withListing(credits.command(verb))
      .description(description)
      .argument("<team>", "ID or name")
      .argument("<usd>", "amount, such as 12.50")
      .option("--note <text>", "reason, stored in the ledger")
      .action(async (reference: string, usd: string, { note, ...options }: Options, command: Command) => {
        const change = () =>
          using(async (api) => {
            const { teamId } = await api.findTeam(reference);
            const path = `/operator/teams/${teamId}/credits`;
            return api.request<OperatorCredits>("POST", path, { kind, usd, note });
          });
        print([await reportInvalidValues(command, change)], options);
      });
  withListing(credits.command("ls").alias("list").alias("show"))
    .description("list the available, reserved and used credit of teams")
    .argument("[team]", "only this team, by ID or name")
    .action(async (reference: string | undefined, options: ListingOptions) =>
      print(
        await using(async (api) =>
          listCredits(api, reference === undefined ? null : (await api.findTeam(reference)).teamId),
        ),
        options,
      ),
    );
  withListing(credits.command("limit"))
    .description("limit the spending of a team per month (UTC)")
    .argument("<team>", "ID or name")
    .option("--hard <usd>", "limit set by the operator on all spending, or none")
    .option("--soft <usd>", "limit set by the team on use beyond prepaid credit, or none")
    .action(async (reference: string, { hard, soft, ...options }: LimitOptions, command: Command) => {
      const limits = { hard: hard === "none" ? null : hard, soft: soft === "none" ? null : soft };
      const changeAndShow = () =>
        using(async (api) => {
          const { teamId } = await api.findTeam(reference);
          const path = `/operator/teams/${teamId}/spending-limits`;
          if (hard !== undefined || soft !== undefined) await api.request("PUT", path, limits);
          return listCredits(api, teamId);
        });
      print(await reportInvalidValues(command, changeAndShow), options);
    });
}

/** Returns the credit of one team, or of all teams. */
async function listCredits(api: OperatorClient, teamId: string | null): Promise<readonly OperatorCredits[]> {
  return (await api.get<{ credits: readonly OperatorCredits[] }>("/operator/credits", { teamId })).credits;
}

const columns: readonly TableColumn<OperatorCredits>[] = [
  { title: "NAME", cell: ({ name }) => name, charsMin: 12 },
  { title: "ID", cell: ({ teamId }) => teamId, kind: "id", leftOut: 1 },
  { title: "BILLING", cell: ({ billing }) => billing },
  { title: "CREDIT USD", cell: ({ creditUsd }) => creditUsd, kind: "number" },
  { title: "RESERVED USD", cell: ({ reservedUsd }) => reservedUsd, kind: "number", leftOut: 2 },
  { title: "USED USD", cell: ({ usedUsd }) => usedUsd, kind: "number", leftOut: 3 },
  { title: "MONTH USD", cell: ({ monthUsd }) => monthUsd, kind: "number" },
  { title: "LIMIT USD", cell: ({ hardLimitUsd }) => hardLimitUsd ?? "none", kind: "number" },
];
