/** `hearth unload`: takes models out of the memory of the running server. */
import type { Command } from "commander";
import type { Operator } from "../app/operator/open.js";
import type { WireModel } from "../http/management/models/present-model.js";
import { forEachReference, operatorOpener } from "./command-helpers.js";

/** Adds the command. @param open opens the interface of the running server; it fails if none is running */
export function addUnloadCommand(
  program: Command,
  open: () => Promise<Operator>,
  { out }: { readonly out: { write(text: string): unknown } },
): void {
  const using = operatorOpener(open, JSON.parse);
  program
    .command("unload")
    .description("take models out of memory; one in use stays until its answers have ended")
    .argument("<models...>", "IDs or aliases")
    .action((models: readonly string[]) =>
      using((api) =>
        forEachReference(models, async (name) => {
          const path = `/admin/models/${name.split("/").map(encodeURIComponent).join("/")}`;
          const { memory: before } = await api.get<WireModel>(path);
          const body = { model: name };
          const { id, memory } = await api.request<WireModel>("POST", "/admin/models/unload", body);
          out.write(`${id}${describe(before !== null, memory !== null)}\n`);
        }),
      ),
    );
}

function describe(wasInMemory: boolean, isInMemory: boolean): string {
  if (!wasInMemory) return " was not in memory";
  return isInMemory ? " leaves memory when its answers have ended" : " is no longer in memory";
}
