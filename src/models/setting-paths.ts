/** Which files the settings of a model may name when they come over the network. */
import { isAbsolute, normalize } from "node:path";
import { HearthError } from "../core/errors.js";

/**
 * A management key may not name files outside of the models folders: their content would become part of prompts. The person who edits
 * hearth.yaml or runs commands on the machine may.
 * @throws HearthError `invalid_value` that names the setting.
 */
export function refuseOutsideFiles({ template, projector, lora }: Readonly<Record<string, unknown>>): void {
  if (typeof template === "string" && isTemplatePath(template)) refuseOutside("template", template);
  if (typeof projector === "string") refuseOutside("projector", projector);
  if (!Array.isArray(lora)) return;
  for (const [index, adapter] of lora.entries()) {
    const { file } = { file: null, ...(adapter as { file?: unknown } | null) };
    if (typeof file === "string") refuseOutside(`lora.${index}.file`, file);
  }
}

/** Whether the setting `template` is the path of a file; else it is the text of a template. */
export function isTemplatePath(template: string): boolean {
  return !template.includes("{") && !template.includes("\n");
}

function refuseOutside(param: string, path: string): void {
  const parts = normalize(path).split(/[/\\]/);
  if (!isAbsolute(path) && !/^[A-Za-z]:/.test(path) && !parts.includes("..")) return;
  throw new HearthError(
    "invalid_value",
    `${param}: must be a path within the models folder; only hearth.yaml and \`hearth set\` may name other files`,
    { param },
  );
}
