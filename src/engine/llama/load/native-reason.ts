/** llama.cpp gives the reason of a failure in its log only: the error of the binding says nothing but that it failed. */
import { setImmediate } from "node:timers/promises";
import type { Llama } from "node-llama-cpp";

/** Finds why a context could not be created. */
export const contextReason =
  /(?:llama_init_from_model: (?:failed to initialize the context: )?|failed to apply lora adapter: )(.+)/g;

/** The folder on the machine that built the library, which its assertions name. */
const sourceFolder = /\/\S*\/(?=\S+:\d+: )/g;

/**
 * Does work of the library. The caller does one such work at a time.
 * @param pattern finds the reason in the log, as its first group
 * @throws what the work throws, or an Error with the last reason in the log, in one line, and that as its cause.
 */
export async function withNativeReason<Result>(
  llama: Llama,
  pattern: RegExp,
  work: () => Promise<Result>,
): Promise<Result> {
  const { logger } = llama;
  const logged: string[] = [];
  llama.logger = (level, message) => {
    logged.push(message);
    logger(level, message);
  };
  try {
    return await work();
  } catch (thrown) {
    // The last lines of the log arrive in a turn of the event loop of their own.
    await setImmediate();
    const [, reason] = [...logged.join("\n").matchAll(pattern)].at(-1) ?? [];
    if (reason === undefined) throw thrown;
    throw new Error(
      reason
        .replace(/\p{Cc}+/gu, " ")
        .replace(sourceFolder, "")
        .trim(),
      { cause: thrown },
    );
  } finally {
    llama.logger = logger;
  }
}
