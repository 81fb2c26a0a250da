/** LoRA adapters over the models that they adapt. An adapter with the setting `base` is a model of its own. */
import type { Model } from "../core/model.js";
import { readGguf } from "./gguf.js";
import type { AdapterFile } from "./gguf/adapter.js";
import { quoted } from "./gguf/refusal.js";
import type { FoundModel } from "./folders/scan.js";
import type { ModelSettings } from "./settings.js";

/**
 * Returns the model that an adapter and its base are together: the base's weights, template, context and prices under the name of the
 * adapter. What requests to the base mean by default is not its.
 * @param found the adapter
 * @param bases the models that are no adapters, with their settings
 * @returns an unusable model, with the reason, when there is none.
 */
export async function adaptedModel(
  found: FoundModel,
  adapter: AdapterFile,
  { base: baseId, scale = 1 }: ModelSettings,
  bases: ReadonlyMap<string, Model>,
): Promise<FoundModel> {
  const { id, aliases, name, created } = found.model.manifest;
  const unusable = (reason: string): FoundModel => ({
    ...found,
    model: { ...found.model, unusable: reason },
  });
  if (baseId === undefined)
    return unusable(`it is a LoRA adapter; name the model that it adapts: hearth set ${id} base=MODEL`);
  const base = bases.get(baseId);
  if (base === undefined)
    return unusable(`its base ${quoted(baseId)} is not the id of a model, or a LoRA adapter itself.`);
  if (base.unusable !== null) return unusable(`its base ${quoted(baseId)} cannot be used: ${base.unusable}`);
  const reason = await mismatch(adapter, base);
  if (reason !== null) return unusable(`it cannot be applied to its base: ${reason}`);
  const { path, bytes, modifiedTime } = adapter;
  const { defaults: _, ...rest } = base;
  const adapters = [{ path, bytes, modifiedTime, scale }];
  const model = {
    ...rest,
    manifest: { ...base.manifest, id, aliases, name, created },
    load: { ...base.load, adapters },
  };
  return { ...found, model, isBare: false };
}

/** Returns a public clause that says why an adapter cannot be applied to a model; null if it can. */
export async function mismatch(
  { architecture, problem }: AdapterFile,
  { manifest, path }: Model,
): Promise<string | null> {
  if (manifest.kind !== "chat") return `${quoted(manifest.id)} is not a chat model.`;
  if (problem !== null) return problem;
  const result = await readGguf(path);
  const own = result.ok ? result.header.metadata.values.get("general.architecture") : null;
  if (own === architecture) return null;
  return `it adapts models of the architecture ${quoted(architecture)}, and ${quoted(manifest.id)} is a ${quoted(String(own))}.`;
}
