/** `hearth teams limits`: shows and changes the rate limits of teams per model. */
import type { Command } from "commander";
import type { LimitChange } from "../../accounts/limits/team-limits.js";
import { everyModel, type TeamLimits } from "../../accounts/principals/team-limit.js";
import { formatJson, formatTable } from "../table.js";
import {
  reportInvalidValues,
  limitArgument,
  type AccountsIo,
  type UsingAccounts,
} from "../command-helpers.js";

interface Options {
  readonly model?: string;
  readonly qps?: number | "none";
  readonly qpm?: number | "none";
  readonly tpm?: number | "none";
  readonly json?: true;
}

/** Adds `teams limits`. */
export function addTeamLimitsCommand(teams: Command, using: UsingAccounts, { out }: AccountsIo): void {
  teams
    .command("limits")
    .description(
      "show or change the rate limits of a team per model, or of each end user; changes take effect at the next request",
    )
    .argument("<team>", "ID or name")
    .option(
      "--model <id>",
      "this model; total: all models together; each-end-user: each end user (default: every model without limits of its own)",
    )
    .option("--qps <number>", "requests per second, or none", limitArgument)
    .option("--qpm <number>", "requests per minute, or none", limitArgument)
    .option("--tpm <number>", "tokens per minute, or none", limitArgument)
    .option("--json", "print one JSON array")
    .action(async (reference: string, options: Options, command: Command) => {
      const change = toChange(options);
      const updateAndList = () =>
        using(async ({ teams, teamLimits, actor }) => {
          const { id } = await teams.resolve(reference);
          if (Object.keys(change).length > 0)
            await teamLimits.update(id, options.model ?? everyModel, change, actor);
          return teamLimits.list(id, actor);
        });
      const all = await reportInvalidValues(command, updateAndList);
      const shown = options.model === undefined ? all : all.filter(({ model }) => model === options.model);
      out.write(options.json === true ? formatJson(shown.map(toJson)) : toTable(shown));
    });
}

function toChange({ qps, qpm, tpm }: Options): LimitChange {
  const given = Object.entries({ qps, qpm, tpm }).filter(([, limit]) => limit !== undefined);
  return Object.fromEntries(given.map(([name, limit]) => [name, limit === "none" ? null : limit]));
}

function toJson({ model, qps, qpm, tpm }: TeamLimits) {
  return { model, qps, qpm, tpm };
}

function toTable(all: readonly TeamLimits[]): string {
  const rows = all.map(({ model, ...limits }) => [
    model,
    ...[limits.qps, limits.qpm, limits.tpm].map((limit) => (limit === null ? "none" : String(limit))),
  ]);
  return formatTable(["MODEL", "QPS", "QPM", "TPM"], rows);
}
