/** `hearth import`: links the models of Ollama, LM Studio and the Hugging Face cache into the models folder. */
import { relative, resolve } from "node:path";
import { Option, type Command } from "commander";
import type { LinkReport } from "../../models/library/link.js";
import type { LocalModels } from "../../app/models/models.js";
import type { OperatorClient } from "../operator.js";
import { withProgress } from "../progress.js";
import { formatJson } from "../table.js";
import { aliasesPath } from "./alias.js";
import type { ModelCommands } from "./deps.js";
import type { ImportFolders } from "./import-folders.js";

interface Options {
  readonly from: keyof ImportFolders;
  readonly dryRun?: boolean;
  readonly json?: true;
  readonly quiet?: boolean;
}

/** Adds the command. */
export function addImportCommand(program: Command, io: ModelCommands): void {
  const { open, using, load, out, folders } = io;
  program
    .command("import")
    .description("use the models of another program: they are linked, not copied")
    .argument("[folder]", "where the other program keeps its models (default: its usual folder)")
    .addOption(
      new Option("--from <program>", "ollama, lmstudio, or hf for the Hugging Face cache")
        .choices(["ollama", "lmstudio", "hf"])
        .makeOptionMandatory(),
    )
    .option("--dry-run", "show what would be linked, and change nothing")
    .option("--json", "print one JSON object")
    .option("-q, --quiet", "print nothing but errors")
    .action(async (folder: string | undefined, { from, dryRun = false, json, quiet }: Options) => {
      const { linkModels } = await import("../../models/library/link.js");
      const { models: own, modelsFolders } = (await load()).config;
      const again = "the same command goes on, and what is linked stays";
      const report = await withProgress(io, { isQuiet: quiet, stopped: `stopped; ${again}` }, (onProgress) =>
        linkModels({
          from,
          source: resolve(folder ?? folders[from]),
          folder: own,
          folders: [own, ...modelsFolders],
          isDryRun: dryRun,
          onProgress,
        }),
      );
      const { kept, failed: failedAliases } = dryRun
        ? noAliases
        : await using(async (api) => setAliases(api, await open(), report));
      const failed = [...report.failed, ...failedAliases];
      const all = { ...report, failed };
      if (json === true) out.write(formatJson({ ...all, aliasProblems: kept, dryRun }));
      else if (quiet !== true || failed.length > 0) out.write(toText(all, kept, own, dryRun));
      if (failed.length > 0) process.exitCode = 1;
    });
}

interface AliasReport {
  /** Sentences about names that lead to other models, as before. */
  readonly kept: readonly string[];
  /** Models that are linked and do not have their name, with the reason. */
  readonly failed: LinkReport["failed"];
}

const noAliases: AliasReport = { kept: [], failed: [] };

/** Makes the names that the other program uses lead to the linked models; one that fails does not stop the others. */
async function setAliases(
  api: OperatorClient,
  { models, sources }: LocalModels,
  { linked }: LinkReport,
): Promise<AliasReport> {
  const kept: string[] = [];
  const failed: LinkReport["failed"][number][] = [];
  const all = models.list();
  const taken = new Map(sources.aliases().map(({ alias, model }) => [alias, model]));
  for (const { alias, path } of linked) {
    const model = all.find((each) => each.path === path);
    if (alias === null || model === undefined) continue;
    const holder = taken.get(alias);
    if (alias === model.manifest.id || holder === model.manifest.id) continue;
    if (holder !== undefined) kept.push(`${alias} leads to ${holder} as before`);
    else
      try {
        await api.request("PUT", aliasesPath, { alias, model: model.manifest.id });
      } catch (thrown) {
        const reason = thrown instanceof Error ? thrown.message : String(thrown);
        failed.push({
          name: alias,
          reason: `it is linked as ${model.manifest.id}, without this alias: ${reason}`,
        });
      }
  }
  return { kept, failed };
}

function toText(
  { linked, present, skipped, failed }: LinkReport,
  problems: readonly string[],
  folder: string,
  isDryRun: boolean,
): string {
  const verb = isDryRun ? "would link" : "linked";
  const lines = [
    ...linked.map(({ name, path }) => `${verb}  ${name} as ${relative(folder, path)}`),
    ...present.map(({ name }) => `is linked  ${name}`),
    ...skipped.map(({ name, reason }) => `skipped  ${name}: ${reason}`),
    ...failed.map(({ name, reason }) => `failed  ${name}: ${reason}`),
    ...problems,
  ];
  const failures = failed.length === 0 ? "" : `, ${failed.length} failed`;
  const counts = `${linked.length} ${verb}, ${present.length} were linked before, ${skipped.length} skipped${failures}`;
  return [...lines, counts, ""].join("\n");
}
