/** `hearth credits`: what teams may spend, shown and changed, beside a running server or without one. */
import type { Command } from "commander";
import type { CreditChange, TeamCredits } from "../accounts/credits.js";
import { ticksToUsd } from "../core/money.js";
import { formatJson, formatTable } from "./table.js";
import { asUsage, type AccountsIo, type UsingAccounts } from "./using-accounts.js";

interface Options {
  readonly note?: string;
  readonly json?: true;
}

const changes: readonly (readonly [verb: string, kind: CreditChange, description: string])[] = [
  ["add", "purchase", "give a team credit that it has bought"],
  ["refund", "refund", "take credit away that is paid back"],
  ["adjust", "adjust", "correct a team's credit, also by a negative amount (after --)"],
];

/** Adds `credits add`, `credits refund`, `credits adjust` and `credits show`. */
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
    .action(async (reference: string | undefined, { json }: Options) => {
      const shown = await using(async (accounts) => {
        const all =
          reference === undefined
            ? await accounts.teams.list(accounts.actor)
            : [await accounts.teams.meant(reference)];
        return accounts.credits.of(all);
      });
      print(shown, json === true);
    });
}

/** Money as decimal texts: a float would round it. */
function toJson({ team, balances }: TeamCredits) {
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
  };
}

function toTable(all: readonly TeamCredits[]): string {
  const head = ["NAME", "ID", "BILLING", "CREDIT USD", "RESERVED USD", "USED USD"];
  const rows = all.map(({ team, balances }) => [
    team.name,
    team.id,
    team.billing,
    ticksToUsd(balances.credit),
    ticksToUsd(balances.reserved),
    ticksToUsd(balances.revenue),
  ]);
  return formatTable(head, rows);
}
