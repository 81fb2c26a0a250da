/** `hearth teams limits`: shows and changes the rate limits of teams per model. */
import type { Command } from "commander";
import { everyModel } from "../../accounts/principals/team-limit.js";
import type { WireTeamLimits } from "../../http/management/teams/limits.js";
import { printListing, withListing, type ListingOptions } from "../listing.js";
import type { TableColumn } from "../table.js";
import {
  reportInvalidValues,
  limitArgument,
  type AccountsIo,
  type UsingOperator,
} from "../command-helpers.js";

interface Options extends ListingOptions {
  readonly model?: string;
  readonly qps?: number | "none";
  readonly qpm?: number | "none";
  readonly tpm?: number | "none";
}

/** Adds `teams limits`. */
export function addTeamLimitsCommand(teams: Command, using: UsingOperator, io: AccountsIo): void {
  withListing(teams.command("limits"))
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
    .action(async (reference: string, options: Options, command: Command) => {
      const limits = toChange(options);
      const updateAndList = () =>
        using(async (api) => {
          const path = `/auth/teams/${(await api.findTeam(reference)).teamId}/limits`;
          const request = {
            model: options.model ?? everyModel,
            limits,
            fieldMask: Object.keys(limits).join(),
          };
          if (Object.keys(limits).length > 0) await api.request("PUT", path, request);
          return api.get<{ limits: readonly WireTeamLimits[] }>(path);
        });
      const { limits: all } = await reportInvalidValues(command, updateAndList);
      const shown = options.model === undefined ? all : all.filter(({ model }) => model === options.model);
      printListing(io, options, {
        items: shown,
        columns,
        json: () => shown.map(toJson),
        empty: `No limits. Set one: hearth teams limits ${reference} --qpm 60`,
      });
    });
}

function toChange({ qps, qpm, tpm }: Options): Readonly<Record<string, number | null>> {
  const given = Object.entries({ qps, qpm, tpm }).filter(([, limit]) => limit !== undefined);
  return Object.fromEntries(
    given.map(([name, limit]) => [name, limit === "none" ? null : limit]),
  ) as Readonly<Record<string, number | null>>;
}

function toJson({ model, qps, qpm, tpm }: WireTeamLimits) {
  return { model, qps: qps ?? null, qpm: qpm ?? null, tpm: tpm === undefined ? null : Number(tpm) };
}

const limitText = (limit: number | string | undefined): string =>
  limit === undefined ? "none" : String(limit);

const columns: readonly TableColumn<WireTeamLimits>[] = [
  { title: "MODEL", cell: ({ model }) => model, charsMin: 16 },
  { title: "QPS", cell: ({ qps }) => limitText(qps), kind: "number" },
  { title: "QPM", cell: ({ qpm }) => limitText(qpm), kind: "number" },
  { title: "TPM", cell: ({ tpm }) => limitText(tpm), kind: "number" },
];
