/** `hearth import`: links the models of Ollama, LM Studio and the Hugging Face cache into the models folder. */
import { relative, resolve } from "node:path";
import { Option, type Command } from "commander";
import type { LinkReport, OperatorModels } from "../../app/app.js";
import { formatJson } from "../table.js";
import type { ModelCommands } from "./deps.js";
import type { ImportFolders } from "./import-folders.js";

interface Options {
  readonly from: keyof ImportFolders;
  readonly dryRun?: boolean;
  readonly json?: true;
}

/** Adds the command. */
export function addImportCommand(
  program: Command,
  { open, load, out, folders }: Pick<ModelCommands, "open" | "load" | "out" | "folders">,
): void {
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
    .action(async (folder: string | undefined, { from, dryRun = false, json }: Options) => {
      const models = await open();
      const report = await models.link(from, resolve(folder ?? folders[from]), dryRun);
      const aliasProblems = dryRun ? [] : await setAliases(models, report);
      if (json === true) out.write(formatJson({ ...report, aliasProblems, dryRun }));
      else out.write(toText(report, aliasProblems, (await load()).config.models, dryRun));
    });
}

/** Makes the names that the other program uses lead to the linked models. @returns why some do not. */
async function setAliases(models: OperatorModels, { linked }: LinkReport): Promise<readonly string[]> {
  await models.refresh();
  const problems: string[] = [];
  const all = models.list();
  const taken = new Map(models.aliases().map(({ alias, model }) => [alias, model]));
  for (const { alias, path } of linked) {
    const model = all.find((each) => each.path === path);
    if (alias === null || model === undefined) continue;
    const holder = taken.get(alias);
    if (holder === undefined) await models.setAlias(alias, model);
    else if (holder !== model.manifest.id) problems.push(`${alias} leads to ${holder} as before`);
  }
  return problems;
}

function toText(
  { linked, present, skipped }: LinkReport,
  problems: readonly string[],
  folder: string,
  isDryRun: boolean,
): string {
  const verb = isDryRun ? "would link" : "linked";
  const lines = [
    ...linked.map(({ name, path }) => `${verb}  ${name} as ${relative(folder, path)}`),
    ...present.map(({ name }) => `is linked  ${name}`),
    ...skipped.map(({ name, reason }) => `skipped  ${name}: ${reason}`),
    ...problems,
  ];
  const counts = `${linked.length} ${verb}, ${present.length} were linked before, ${skipped.length} skipped`;
  return [...lines, counts, ""].join("\n");
}
