/** Reads LoRA adapters: GGUF files with changes to the weights of a model. */
import { stat } from "node:fs/promises";
import type { Adapter } from "../../core/model.js";
import { readGguf } from "../gguf.js";
import { quoted } from "./refusal.js";

/** An adapter as its file describes it. */
export interface AdapterFile extends Omit<Adapter, "scale"> {
  /** The architecture of the models that it adapts. */
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
  const architecture = values.get("general.architecture");
  return {
    path,
    bytes: stats.size,
    modifiedTime: stats.mtimeMs,
    architecture: typeof architecture === "string" ? architecture : "",
    problem: findProblem(values.get("adapter.type"), arrayLengths),
  };
}

function findProblem(type: unknown, arrayLengths: ReadonlyMap<string, number>): string | null {
  if (type !== "lora") return `its adapter.type is ${quoted(String(type))}, not 'lora'.`;
  if (!arrayLengths.has("adapter.alora.invocation_tokens")) return null;
  return "it is an activated LoRA, which takes effect after certain tokens only; that is not offered.";
}
