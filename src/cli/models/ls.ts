/** `hearth ls`: lists the models of this machine. */
import type { Command } from "commander";
import type { Model } from "../../core/model.js";
import { ago } from "../duration.js";
import { sizeText } from "../../core/report/size-text.js";
import { printListing, withListing, type ListingOptions } from "../listing.js";
import type { TableColumn } from "../table.js";
import type { ModelCommands } from "./deps.js";

interface ListedModel {
  readonly model: Model;
  readonly modifiedTime: number;
}

/** Adds the command. */
export function addLsCommand(program: Command, { open, clock, ...io }: ModelCommands): void {
  withListing(program.command("ls").alias("list"))
    .description("list the models on this machine")
    .action(async (options: ListingOptions) => {
      const { readModifiedTime } = await import("../../models/library/details.js");
      const { models } = await open();
      const all = await Promise.all(
        models.list().map(async (model) => ({ model, modifiedTime: await readModifiedTime(model) })),
      );
      const notes = listNotes(all, models.warnings);
      printListing(io, options, {
        items: all,
        columns: listColumns(clock.now()),
        json: () => all.map(toJson),
        empty: "No models. Download one: hearth pull qwen3:4b",
        notes: notes.length === 0 ? [] : ["", ...notes],
      });
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

function listColumns(now: number): readonly TableColumn<ListedModel>[] {
  return [
    { title: "NAME", cell: ({ model }) => model.manifest.id, charsMin: 20 },
    { title: "SIZE", cell: ({ model }) => sizeText(model.manifest.bytes), kind: "number" },
    { title: "KIND", cell: ({ model }) => model.manifest.kind },
    { title: "CONTEXT", cell: ({ model }) => contextCell(model), kind: "number", leftOut: 2 },
    { title: "ALIASES", cell: ({ model }) => model.manifest.aliases.join(", "), charsMin: 12, leftOut: 1 },
    { title: "MODIFIED", cell: ({ modifiedTime }) => modified(now, modifiedTime) },
  ];
}

function contextCell({ manifest: { kind, contextTokens } }: Model): string {
  return kind !== "image" && kind !== "vision" ? String(contextTokens) : "-";
}

function listNotes(all: readonly ListedModel[], warnings: readonly string[]): readonly string[] {
  const problems = all.flatMap(({ model: { manifest, unusable, projectorProblem } }) => {
    if (unusable !== null) return [`${manifest.id} cannot be used: ${unusable}`];
    return projectorProblem === undefined ? [] : [`${manifest.id} reads text alone: ${projectorProblem}`];
  });
  return [...problems, ...warnings];
}

/** A model that has no file here was never modified. */
function modified(now: number, modifiedTime: number): string {
  return modifiedTime === 0 ? "-" : ago(now - modifiedTime);
}
