/** `hearth set`: changes settings of a model. */
import type { Command } from "commander";
import type { OperatorModel } from "../../http/management/operator/models.js";
import { reportInvalidValues } from "../command-helpers.js";
import { formatJson } from "../table.js";
import type { ModelCommands } from "./deps.js";
import { valueText } from "./settings-text.js";

/** Adds the command. */
export function addSetCommand(program: Command, { using, out }: ModelCommands): void {
  program
    .command("set")
    .description("change settings of a model; a running server applies them")
    .argument("<model>", "ID or alias")
    .argument("<setting...>", "such as sampling.temperature=0.7; a setting without a value is removed")
    .option("--json", "print all settings of the model as one JSON array")
    .action(async (name: string, words: readonly string[], { json }: { json?: true }, command: Command) => {
      const { parseAssignments } = await import("./assignments.js");
      const model = await reportInvalidValues(command, async () => {
        const change = parseAssignments(words);
        return using((api) => api.request<OperatorModel>("PUT", "/operator/models", { model: name, change }));
      });
      const { id, settings, unusable } = model;
      if (json === true) out.write(formatJson(settings));
      else
        for (const word of words) {
          const key = word.slice(0, word.indexOf("="));
          const isRemoved = word.endsWith("=") && key.length + 1 === word.length;
          const value = settings.find((setting) => setting.name === key)?.value;
          const text = isRemoved ? "removed" : value === undefined ? "set" : valueText(key, value);
          out.write(
            `${key}: ${text}${key === "context" && !isRemoved ? describeContext(model, value) : ""}\n`,
          );
        }
      if (unusable !== null) throw new Error(`'${id}' cannot be used now: ${unusable}`);
    });
}

/** Says it where a model is not loaded with the context that was set. */
function describeContext({ contextTokens }: OperatorModel, set: unknown): string {
  if (typeof set !== "number" || set <= contextTokens) return "";
  return `, but it is loaded with ${contextTokens}, the most that the model or the setting contextTokensMax allows`;
}
