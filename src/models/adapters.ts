/** LoRA adapters: GGUF files with changes to the weights of a model. */
import { stat } from "node:fs/promises";
import type { Adapter, Model } from "../core/model.js";
import { readGguf } from "./gguf.js";
import { quoted } from "./gguf/refusal.js";

/** An adapter as its file describes it. */
export interface AdapterFile extends Omit<Adapter, "scale"> {
  readonly architecture: string;
  /** null when it can be applied to a model of this architecture; else a public clause that says why not. */
  readonly problem: string | null;
}

/** Reads the header of an adapter. @returns null for a file that cannot be read or is no adapter. */
export async function readAdapter(path: string): Promise<AdapterFile | null> {
  const [result, stats] = await Promise.all([readGguf(path), stat(path).catch(() => null)]);
  if (!result.ok || stats === null) return null;
  const { values, arrayLengths } = result.header.metadata;
  if (values.get("general.type") !== "adapter") return null;
  const type = values.get("adapter.type");
  const architecture = values.get("general.architecture");
  const isActivated = arrayLengths.has("adapter.alora.invocation_tokens");
  return {
    path,
    bytes: stats.size,
    modifiedTime: stats.mtimeMs,
    architecture: typeof architecture === "string" ? architecture : "",
    problem:
      type !== "lora"
        ? `its adapter.type is ${quoted(String(type))}, not 'lora'.`
        : isActivated
          ? "it is an activated LoRA, which takes effect after certain tokens only; that is not offered."
          : null,
  };
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
