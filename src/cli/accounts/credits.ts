/** `hearth credits`: what teams may spend, shown and changed, beside a running server or without one. */
import type { Command } from "commander";
import type { CreditChange, TeamCredits } from "../../accounts/money/credits.js";
import type { LimitChange } from "../../accounts/money/spending-limits.js";
import type { OpenAccounts } from "../../app/app.js";
import { ticksToUsd, type Ticks } from "../../core/money.js";
import { effectiveLimit } from "../../accounts/money/spending.js";
import { formatJson, formatTable } from "../table.js";
import { asUsage, type AccountsIo, type UsingAccounts } from "./open-accounts.js";

interface Options {
  readonly note?: string;
  readonly json?: true;
}

interface Bounds {
  readonly hard?: string;
  readonly soft?: string;
}

const changes: readonly (readonly [verb: string, kind: CreditChange, description: string])[] = [
  ["add", "purchase", "give a team credit that it has bought"],
  ["refund", "refund", "take credit away that is paid back"],
  ["adjust", "adjust", "correct a team's credit, also by a negative amount (after --)"],
];

/** Adds `credits add`, `credits refund`, `credits adjust`, `credits show` and `credits limit`. */
export function addCreditsCommand(program: Command, using: UsingAccounts, { out }: AccountsIo): void {
  const credits = program.command("credits").description("show and change what teams may spend");
  const print = (all: readonly TeamCredits[], json: boolean): void =>
    void out.write(json ? formatJson(all.map(toJson)) : toTable(all));
  for (const [verb, kind, description] of changes)
    credits
      .command(verb)
      .description(description)
      .argument("<team>", "ID or name")
      .argument("<usd>", "how much, such as 12.50")
      .option("--note <text>", "why, for the books")
      .option("--json", "print one JSON array")
      .action(async (reference: string, usd: string, { note, json }: Options, command: Command) => {
        const change = () =>
          using(async (accounts) => {
            const { id } = await accounts.teams.meant(reference);
            return accounts.credits.change(kind, id, { usd, note: note ?? null }, accounts.actor);
          });
        print([await asUsage(command, change)], json === true);
      });
  credits
    .command("show")
    .description("list what teams have, hold for runs in hand, and have used")
    .argument("[team]", "only this one, by ID or name")
    .option("--json", "print one JSON array")
    .action(async (reference: string | undefined, { json }: Options) =>
      print(await using((accounts) => creditsOf(accounts, reference)), json === true),
    );
  credits
    .command("limit")
    .description("bound what a team may spend in a month (UTC)")
    .argument("<team>", "ID or name")
    .option("--hard <usd>", "the operator's bound, or none")
    .option("--soft <usd>", "the team's own bound, or none; the smaller one holds")
    .option("--json", "print one JSON array")
    .action(async (reference: string, { json, ...bounds }: Options & Bounds, command: Command) => {
      const change = limitChange(bounds);
      const limit = () =>
        using(async (accounts) => {
          const { id } = await accounts.teams.meant(reference);
          if (Object.keys(change).length > 0) await accounts.spending.change(id, change, accounts.actor);
          return creditsOf(accounts, id);
        });
      print(await asUsage(command, limit), json === true);
    });
}

/** Of one team, or of all. */
async function creditsOf(
  { teams, credits, actor }: OpenAccounts,
  reference: string | undefined,
): Promise<readonly TeamCredits[]> {
  return credits.of(reference === undefined ? await teams.list(actor) : [await teams.meant(reference)]);
}

function limitChange({ hard, soft }: Bounds): LimitChange {
  return {
    ...(hard === undefined ? {} : { hard: usd(hard) }),
    ...(soft === undefined ? {} : { soft: usd(soft) }),
  };
}

function usd(bound: string): string | null {
  return bound === "none" ? null : bound;
}

/** Money as decimal texts: a float would round it. */
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
  const head = ["NAME", "ID", "BILLING", "CREDIT USD", "RESERVED USD", "USED USD", "MONTH USD", "LIMIT USD"];
  const rows = all.map(({ team, balances, month }) => [
    team.name,
    team.id,
    team.billing,
    ticksToUsd(balances.credit),
    ticksToUsd(balances.reserved),
    ticksToUsd(balances.revenue),
    ticksToUsd(month.chargedTicks),
    limitUsd(effectiveLimit(month.limits)) ?? "none",
  ]);
  return formatTable(head, rows);
}

function limitUsd(ticks: Ticks | null): string | null {
  return ticks === null ? null : ticksToUsd(BigInt(ticks));
}
