/** `hearth usage`: what was used, by time, key, model or team, and what it would have cost elsewhere. Times are UTC. */
import { InvalidArgumentError, Option, type Command } from "commander";
import type { UsageReport } from "../../accounts/usage/usage-reports.js";
import { monthOf, monthStart } from "../../accounts/money/spending.js";
import { dayMs, hourMs, type UsageQuery } from "../../accounts/usage/usage-report.js";
import { formatCsv } from "../csv.js";
import { formatJson, formatTable } from "../table.js";
import { toCsv, toJson, toTable, type Told } from "./usage-columns.js";
import { asUsage, type AccountsIo, type UsingAccounts } from "./open-accounts.js";

interface Options {
  readonly by: "day" | "hour" | "key" | "model" | "team";
  readonly from?: Span;
  readonly to?: Span;
  readonly team?: string;
  readonly csv?: true;
  readonly json?: true;
  readonly as?: "hosted";
}

interface Span {
  readonly begin: number;
  readonly end: number;
}

const rowsMax = 100_000;

const shapes: Readonly<Record<Options["by"], Pick<UsageQuery, "unit" | "by" | "order">>> = {
  day: { unit: "day", by: [], order: "time" },
  hour: { unit: "hour", by: [], order: "time" },
  key: { unit: null, by: ["key"], order: "cost" },
  model: { unit: null, by: ["model"], order: "cost" },
  team: { unit: null, by: ["team"], order: "cost" },
};

/** Adds the command. */
export function addUsageCommand(program: Command, using: UsingAccounts, { clock, out }: AccountsIo): void {
  program
    .command("usage")
    .description("tell what was used and what it cost; times are UTC")
    .addOption(new Option("--by <what>", "a row for each").choices(Object.keys(shapes)).default("day"))
    .option(
      "--from <date>",
      "from this day, or this hour, on (default: the first of the month)",
      spanArgument,
    )
    .option("--to <date>", "up to this day, or this hour, and with it (default: now)", spanArgument)
    .option("--team <team>", "only this one's, by ID or name")
    .addOption(new Option("--csv", "print comma-separated values").conflicts("json"))
    .option("--json", "print one JSON object")
    .addOption(new Option("--as <prices>", "beside it, what it would have cost there").choices(["hosted"]))
    .action(async (options: Options, command: Command) => {
      const told = await asUsage(command, () => report(options, using, clock.now()));
      if (options.json === true) out.write(formatJson(toJson(told)));
      else if (options.csv === true) out.write(formatCsv(...toCsv(told)));
      else out.write(tableOf(told));
    });
}

async function report(options: Options, using: UsingAccounts, now: number): Promise<Told> {
  const { by, team } = options;
  const from = options.from?.begin ?? monthStart(monthOf(now));
  const to = options.to?.end ?? now - (now % hourMs) + hourMs;
  const hosted = options.as === "hosted";
  const made: UsageReport = await using(async (accounts) =>
    accounts.usage.report(
      {
        ...{ ...shapes[by], from, to, rowsMax },
        teamId: team === undefined ? null : (await accounts.teams.meant(team)).id,
        hosted: hosted ? await accounts.modelNames() : null,
      },
      accounts.actor,
    ),
  );
  return { ...made, by, from, to, hosted };
}

function tableOf(told: Told): string {
  const [head, rows, notes] = toTable(told);
  return formatTable(head, rows) + notes.map((note) => `${note}\n`).join("");
}

/** A day such as 2026-11-21, or an hour such as 2026-11-21T15. */
function spanArgument(written: string): Span {
  const [, day = "", hour] = /^(\d{4}-\d\d-\d\d)(?:T(\d\d))?$/.exec(written) ?? [];
  const begin = Date.parse(`${day}T${hour ?? "00"}:00:00.000Z`);
  const isReal = !Number.isNaN(begin) && new Date(begin).toISOString().startsWith(`${day}T${hour ?? "00"}`);
  if (!isReal)
    throw new InvalidArgumentError("It must be like 2026-11-21, or 2026-11-21T15 for an hour; UTC.");
  return { begin, end: begin + (hour === undefined ? dayMs : hourMs) };
}
