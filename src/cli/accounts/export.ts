/** `hearth export`: prints usage, ledger or audit log as CSV or JSON lines, with or without a running server. */
import { once } from "node:events";
import { Writable } from "node:stream";
import { Argument, InvalidArgumentError, Option, type Command } from "commander";
import { exportFormats, exportKinds, type ExportFormat, type ExportKind } from "../../core/export/rows.js";
import { withQuery } from "../operator.js";
import { reportInvalidValues, type AccountsIo, type UsingOperator } from "../command-helpers.js";

interface Options {
  readonly format: ExportFormat;
  readonly team?: string;
  readonly since?: number;
  readonly until?: number;
}

/** Adds the command. */
export function addExportCommand(
  program: Command,
  using: UsingOperator,
  { out: printed, data: out = printed }: AccountsIo,
): void {
  program
    .command("export")
    .description("print usage, the ledger or the audit log as CSV or JSON lines; times are UTC")
    .addArgument(new Argument("<what>", "what is printed").choices(exportKinds))
    .addOption(new Option("--format <format>", "how it is written").choices(exportFormats).default("csv"))
    .option("--team <team>", "only this team, by ID or name")
    .option("--since <time>", "from this time on, such as 2026-11-21", timeArgument)
    .option("--until <time>", "before this time", timeArgument)
    .action(async (kind: ExportKind, { format, team, since, until }: Options, command: Command) => {
      await reportInvalidValues(command, () =>
        using(async (api) => {
          const teamId = team === undefined ? null : (await api.findTeam(team)).teamId;
          const query = { format, teamId, since: timeText(since), until: timeText(until) };
          const answer = await api.open("GET", withQuery(`/admin/export/${kind}`, query));
          answer.setEncoding("utf8");
          for await (const text of answer)
            if (out.write(String(text)) === false && out instanceof Writable) await once(out, "drain");
        }),
      );
    });
}

function timeText(time: number | undefined): string | undefined {
  return time === undefined ? undefined : new Date(time).toISOString();
}

function timeArgument(written: string): number {
  const time = /^\d{4}-\d\d-\d\d/.test(written) ? Date.parse(written) : Number.NaN;
  if (Number.isNaN(time))
    throw new InvalidArgumentError("It must be like 2026-11-21 or 2026-11-21T15:00:00Z.");
  return time;
}
