/** LoRA adapters as llama.cpp applies them: to a whole context, when it is created. */
import { basename } from "node:path";
import type { Llama, LlamaContextOptions } from "node-llama-cpp";
import type { Adapter } from "../../../core/model.js";
import { withNativeReason } from "./native-reason.js";

/** Returns the option of a context that applies adapters. */
export function adapterOptions(adapters: readonly Adapter[]): Pick<LlamaContextOptions, "lora"> {
  if (adapters.length === 0) return {};
  return { lora: { adapters: adapters.map(({ path, scale }) => ({ filePath: path, scale })) } };
}

/**
 * Creates a context with adapters. The caller creates one context at a time.
 * @throws Error that names the adapter that cannot be applied, with the library's own reason; any other error of `create`.
 */
export async function namingAdapter<Context>(
  llama: Llama,
  adapters: readonly Adapter[],
  create: () => Promise<Context>,
): Promise<Context> {
  try {
    return await withNativeReason(llama, /failed to apply lora adapter: (.+)/g, create);
  } catch (thrown) {
    const { message, cause } = thrown instanceof Error ? thrown : new Error(String(thrown));
    const original = cause instanceof Error ? cause.message : message;
    const failed = adapters.find(({ path }) => original.includes(path));
    if (failed === undefined) throw thrown;
    const name = basename(failed.path);
    const reason = message.replaceAll(failed.path, name);
    throw new Error(`its LoRA adapter '${name}' cannot be applied: ${reason}`, { cause: thrown });
  }
}
