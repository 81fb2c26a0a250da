/** `hearth teams limits`: what teams may ask of models, shown and changed. */
import type { Command } from "commander";
import type { LimitChange } from "../../accounts/limits/team-limits.js";
import { everyModel, type TeamLimits } from "../../accounts/limits/team-limit.js";
import { formatJson, formatTable } from "../table.js";
import { asUsage, limitArgument, type AccountsIo, type UsingAccounts } from "./open-accounts.js";

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
    .description("show what a team may ask of models, or change it: it holds from the next request on")
    .argument("<team>", "ID or name")
    .option("--model <id>", "only this model; left out, each that has no limits of its own")
    .option("--qps <number>", "requests per second, or none", limitArgument)
    .option("--qpm <number>", "requests per minute, or none", limitArgument)
    .option("--tpm <number>", "tokens per minute, or none", limitArgument)
    .option("--json", "print one JSON array")
    .action(async (reference: string, options: Options, command: Command) => {
      const change = changeOf(options);
      const act = () =>
        using(async ({ teams, teamLimits, actor }) => {
          const { id } = await teams.meant(reference);
          if (Object.keys(change).length > 0)
            await teamLimits.update(id, options.model ?? everyModel, change, actor);
          return teamLimits.list(id, actor);
        });
      const all = await asUsage(command, act);
      const shown = options.model === undefined ? all : all.filter(({ model }) => model === options.model);
      out.write(options.json === true ? formatJson(shown.map(toJson)) : toTable(shown));
    });
}

function changeOf({ qps, qpm, tpm }: Options): LimitChange {
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
