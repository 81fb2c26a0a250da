/** `hearth ps`: lists the models that the running server has in memory. */
import type { Command } from "commander";
import type { LoadedConfig } from "../config/config.js";
import type { Clock } from "../core/clock.js";
import type { WireLoadedModel } from "../http/inference/models/loaded-models.js";
import { fetchModelsInMemory } from "./server/models-in-memory.js";
import { requireServer } from "./server/running-server.js";
import { ago, ahead } from "./duration.js";
import { sizeText } from "../core/report/size-text.js";
import { printListing, withListing, type ListingOptions, type Printed } from "./listing.js";
import type { TableColumn } from "./table.js";

interface PsIo extends Printed {
  readonly clock: Clock;
}

/** Adds the command; it fails if no server is running. */
export function addPsCommand(program: Command, load: () => Promise<LoadedConfig>, io: PsIo): void {
  withListing(program.command("ps"))
    .description("list the models in memory")
    .action(async (options: ListingOptions) => {
      const models = await fetchModelsInMemory(await requireServer((await load()).config));
      printListing(io, options, {
        items: models,
        columns: listColumns(io.clock.now()),
        json: () => models.map(toJson),
        empty: 'No model is in memory. The first request loads one: hearth run MODEL "Hello"',
      });
    });
}

function toJson({ object: _, ...model }: WireLoadedModel) {
  return model;
}

function listColumns(now: number): readonly TableColumn<WireLoadedModel>[] {
  return [
    { title: "NAME", cell: ({ id }) => id, charsMin: 16 },
    { title: "SIZE", cell: ({ bytes }) => sizeText(bytes), kind: "number" },
    { title: "DEVICE", cell: ({ device }) => device },
    { title: "SLOTS", cell: (model) => `${model.slots_held}/${model.slots}`, kind: "number" },
    { title: "CONTEXT", cell: (model) => String(model.context_tokens), kind: "number", leftOut: 2 },
    { title: "LOADED", cell: (model) => ago(now - Date.parse(model.loaded_at)), leftOut: 1 },
    {
      title: "UNTIL",
      cell: ({ until }) => (until === null ? "in use" : ahead(Date.parse(until) - now)),
    },
  ];
}
