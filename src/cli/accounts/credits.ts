/** `hearth credits`: shows and changes the credit and the spending limits of teams, with or without a running server. */
import type { Command } from "commander";
import type { CreditChange } from "../../accounts/money/credits.js";
import type { OperatorCredits } from "../../http/management/operator/credits.js";
import type { OperatorClient } from "../operator.js";
import { formatJson, formatTable } from "../table.js";
import { reportInvalidValues, type AccountsIo, type UsingOperator } from "../command-helpers.js";

interface Options {
  readonly note?: string;
  readonly json?: true;
}

interface LimitOptions {
  readonly hard?: string;
  readonly soft?: string;
}

const changes: readonly (readonly [verb: string, kind: CreditChange, description: string])[] = [
  ["add", "purchase", "add credit that a team has bought"],
  ["refund", "refund", "subtract credit that was paid back"],
  ["adjust", "adjust", "correct a team's credit; a negative amount goes after --"],
];

/** Adds `credits add`, `credits refund`, `credits adjust`, `credits show` and `credits limit`. */
export function addCreditsCommand(program: Command, using: UsingOperator, { out }: AccountsIo): void {
  const credits = program
    .command("credits")
    .description("show and change the credit and spending limits of teams");
  const print = (all: readonly OperatorCredits[], json: boolean): void =>
    void out.write(json ? formatJson(all) : toTable(all));
  for (const [verb, kind, description] of changes)
    credits
      .command(verb)
      .description(description)
      .argument("<team>", "ID or name")
      .argument("<usd>", "amount, such as 12.50")
      .option("--note <text>", "reason, stored in the ledger")
      .option("--json", "print one JSON array")
      .action(async (reference: string, usd: string, { note, json }: Options, command: Command) => {
        const change = () =>
          using(async (api) => {
            const { teamId } = await api.findTeam(reference);
            const path = `/operator/teams/${teamId}/credits`;
            return api.request<OperatorCredits>("POST", path, { kind, usd, note });
          });
        print([await reportInvalidValues(command, change)], json === true);
      });
  credits
    .command("show")
    .description("list the available, reserved and used credit of teams")
    .argument("[team]", "only this team, by ID or name")
    .option("--json", "print one JSON array")
    .action(async (reference: string | undefined, { json }: Options) =>
      print(
        await using(async (api) =>
          listCredits(api, reference === undefined ? null : (await api.findTeam(reference)).teamId),
        ),
        json === true,
      ),
    );
  credits
    .command("limit")
    .description("limit the spending of a team per month (UTC)")
    .argument("<team>", "ID or name")
    .option("--hard <usd>", "limit set by the operator on all spending, or none")
    .option("--soft <usd>", "limit set by the team on use beyond prepaid credit, or none")
    .option("--json", "print one JSON array")
    .action(async (reference: string, { json, hard, soft }: Options & LimitOptions, command: Command) => {
      const limits = { hard: hard === "none" ? null : hard, soft: soft === "none" ? null : soft };
      const changeAndShow = () =>
        using(async (api) => {
          const { teamId } = await api.findTeam(reference);
          const path = `/operator/teams/${teamId}/spending-limits`;
          if (hard !== undefined || soft !== undefined) await api.request("PUT", path, limits);
          return listCredits(api, teamId);
        });
      print(await reportInvalidValues(command, changeAndShow), json === true);
    });
}

/** Returns the credit of one team, or of all teams. */
async function listCredits(api: OperatorClient, teamId: string | null): Promise<readonly OperatorCredits[]> {
  return (await api.get<{ credits: readonly OperatorCredits[] }>("/operator/credits", { teamId })).credits;
}

function toTable(all: readonly OperatorCredits[]): string {
  const header = [
    "NAME",
    "ID",
    "BILLING",
    "CREDIT USD",
    "RESERVED USD",
    "USED USD",
    "MONTH USD",
    "LIMIT USD",
  ];
  const rows = all.map((each) => [
    each.name,
    each.teamId,
    each.billing,
    each.creditUsd,
    each.reservedUsd,
    each.usedUsd,
    each.monthUsd,
    each.hardLimitUsd ?? "none",
  ]);
  return formatTable(header, rows);
}
