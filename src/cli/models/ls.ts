/** `hearth ls`: lists the models of this machine. */
import type { Command } from "commander";
import type { Model } from "../../core/model.js";
import { ago } from "../duration.js";
import { sizeText } from "../../core/report/size-text.js";
import { formatJson, formatTable } from "../table.js";
import type { ModelCommands } from "./deps.js";

interface ListedModel {
  readonly model: Model;
  readonly modifiedTime: number;
}

/** Adds the command. */
export function addLsCommand(program: Command, { open, clock, out }: ModelCommands): void {
  program
    .command("ls")
    .description("list the models on this machine")
    .option("--json", "print one JSON array")
    .action(async ({ json }: { json?: true }) => {
      const { readModifiedTime } = await import("../../models/library/details.js");
      const { models } = await open();
      const all = await Promise.all(
        models.list().map(async (model) => ({ model, modifiedTime: await readModifiedTime(model) })),
      );
      out.write(json === true ? formatJson(all.map(toJson)) : toText(all, models.warnings, clock.now()));
    });
}

function toJson({ model, modifiedTime }: ListedModel) {
  const { id, aliases, kind, bytes, contextTokens, license } = model.manifest;
  return {
    id,
    aliases,
    kind,
    bytes,
    contextTokens,
    trainedTokens: model.trainedTokens ?? null,
    license,
    path: model.path,
    modifiedTime: new Date(modifiedTime).toISOString(),
    unusable: model.unusable,
  };
}

function toText(all: readonly ListedModel[], warnings: readonly string[], now: number): string {
  const rows = all.map(({ model, modifiedTime }) => {
    const { id, kind, bytes, contextTokens, aliases } = model.manifest;
    const hasContext = kind !== "image" && kind !== "vision";
    const context = hasContext ? String(contextTokens) : "-";
    return [id, sizeText(bytes), kind, context, aliases.join(", "), modified(now, modifiedTime)];
  });
  const table = formatTable(["NAME", "SIZE", "KIND", "CONTEXT", "ALIASES", "MODIFIED"], rows);
  const problems = all.flatMap(({ model: { manifest, unusable, projectorProblem } }) => {
    if (unusable !== null) return [`${manifest.id} cannot be used: ${unusable}`];
    return projectorProblem === undefined ? [] : [`${manifest.id} reads text alone: ${projectorProblem}`];
  });
  const notes = [...problems, ...warnings];
  return notes.length === 0 ? table : `${table}\n${notes.join("\n")}\n`;
}

/** A model that has no file here was never modified. */
function modified(now: number, modifiedTime: number): string {
  return modifiedTime === 0 ? "-" : ago(now - modifiedTime);
}
