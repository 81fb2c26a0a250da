/** `hearth credits`: shows and changes the credit and the spending limits of teams, with or without a running server. */
import type { Command } from "commander";
import type { CreditChange, TeamCredits } from "../../accounts/money/credits.js";
import type { SpendingLimitChange } from "../../accounts/money/spending-limits.js";
import type { OpenAccounts } from "../../app/app.js";
import { ticksToUsd, type Ticks } from "../../core/money.js";
import { formatJson, formatTable } from "../table.js";
import { reportInvalidValues, type AccountsIo, type UsingAccounts } from "../command-helpers.js";

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
export function addCreditsCommand(program: Command, using: UsingAccounts, { out }: AccountsIo): void {
  const credits = program
    .command("credits")
    .description("show and change the credit and spending limits of teams");
  const print = (all: readonly TeamCredits[], json: boolean): void =>
    void out.write(json ? formatJson(all.map(toJson)) : toTable(all));
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
          using(async (accounts) => {
            const { id } = await accounts.teams.resolve(reference);
            return accounts.credits.change(kind, id, { usd, note: note ?? null }, accounts.actor);
          });
        print([await reportInvalidValues(command, change)], json === true);
      });
  credits
    .command("show")
    .description("list the available, reserved and used credit of teams")
    .argument("[team]", "only this team, by ID or name")
    .option("--json", "print one JSON array")
    .action(async (reference: string | undefined, { json }: Options) =>
      print(await using((accounts) => readCredits(accounts, reference)), json === true),
    );
  credits
    .command("limit")
    .description("limit the spending of a team per month (UTC)")
    .argument("<team>", "ID or name")
    .option("--hard <usd>", "limit set by the operator on all spending, or none")
    .option("--soft <usd>", "limit set by the team on use beyond prepaid credit, or none")
    .option("--json", "print one JSON array")
    .action(async (reference: string, { json, ...limits }: Options & LimitOptions, command: Command) => {
      const change = limitChange(limits);
      const changeAndShow = () =>
        using(async (accounts) => {
          const { id } = await accounts.teams.resolve(reference);
          if (Object.keys(change).length > 0) await accounts.spending.change(id, change, accounts.actor);
          return readCredits(accounts, id);
        });
      print(await reportInvalidValues(command, changeAndShow), json === true);
    });
}

/** Returns the credit of one team, or of all teams. */
async function readCredits(
  { teams, credits, actor }: OpenAccounts,
  reference: string | undefined,
): Promise<readonly TeamCredits[]> {
  return credits.of(reference === undefined ? await teams.list(actor) : [await teams.resolve(reference)]);
}

function limitChange({ hard, soft }: LimitOptions): SpendingLimitChange {
  return {
    ...(hard === undefined ? {} : { hard: parseLimit(hard) }),
    ...(soft === undefined ? {} : { soft: parseLimit(soft) }),
  };
}

function parseLimit(usd: string): string | null {
  return usd === "none" ? null : usd;
}

/** Money is decimal text: a float would round it. */
function toJson({ team, balances, month }: TeamCredits) {
  const { credit, reserved, revenue, purchases, adjustments } = balances;
  return {
    teamId: team.id,
    name: team.name,
    billing: team.billing,
    creditUsd: ticksToUsd(credit),
    reservedUsd: ticksToUsd(reserved),
    usedUsd: ticksToUsd(revenue),
    boughtUsd: ticksToUsd(-purchases),
    adjustedUsd: ticksToUsd(-adjustments),
    monthUsd: ticksToUsd(month.chargedTicks),
    monthReservedUsd: ticksToUsd(month.reservedTicks),
    hardLimitUsd: limitUsd(month.limits.hardTicks),
    softLimitUsd: limitUsd(month.limits.softTicks),
  };
}

function toTable(all: readonly TeamCredits[]): string {
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
  const rows = all.map(({ team, balances, month }) => [
    team.name,
    team.id,
    team.billing,
    ticksToUsd(balances.credit),
    ticksToUsd(balances.reserved),
    ticksToUsd(balances.revenue),
    ticksToUsd(month.chargedTicks),
    limitUsd(month.limits.hardTicks) ?? "none",
  ]);
  return formatTable(header, rows);
}

function limitUsd(ticks: Ticks | null): string | null {
  return ticks === null ? null : ticksToUsd(BigInt(ticks));
}
