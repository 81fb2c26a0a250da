/** `hearth ps`: lists the models that the running server has in memory. */
import type { Command } from "commander";
import type { LoadedConfig } from "../config/config.js";
import type { Clock } from "../core/clock.js";
import type { WireLoadedModel } from "../http/inference/models/loaded-models.js";
import { fetchModelsInMemory } from "./server/models-in-memory.js";
import { requireServer } from "./server/running-server.js";
import { ago, ahead } from "./duration.js";
import { sizeText } from "../core/report/size-text.js";
import { formatJson, formatTable } from "./table.js";

interface PsIo {
  readonly clock: Clock;
  readonly out: { write(text: string): unknown };
}

/** Adds the command; it fails if no server is running. */
export function addPsCommand(program: Command, load: () => Promise<LoadedConfig>, io: PsIo): void {
  program
    .command("ps")
    .description("list the models in memory")
    .option("--json", "print one JSON array")
    .action(async ({ json }: { json?: true }) => {
      const models = await fetchModelsInMemory(await requireServer((await load()).config));
      io.out.write(json === true ? formatJson(models.map(toJson)) : toTable(models, io.clock.now()));
    });
}

function toJson({ object: _, ...model }: WireLoadedModel) {
  return model;
}

function toTable(models: readonly WireLoadedModel[], now: number): string {
  const header = ["NAME", "SIZE", "DEVICE", "SLOTS", "CONTEXT", "LOADED", "UNTIL"];
  const rows = models.map((model) => [
    model.id,
    sizeText(model.bytes),
    model.device,
    `${model.slots_held}/${model.slots}`,
    String(model.context_tokens),
    ago(now - Date.parse(model.loaded_at)),
    model.until === null ? "in use" : ahead(Date.parse(model.until) - now),
  ]);
  return formatTable(header, rows);
}
