/** Loads weights with llama.cpp. Its reason of a failure is in its log only: the error of the binding says nothing but that it failed. */
import { dirname, sep } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { Llama, LlamaModel } from "node-llama-cpp";

/**
 * Loads the weights of a model. The caller loads one model at a time.
 * @throws Error with the library's own reason, in one line and without paths.
 */
export async function loadWeights(llama: Llama, modelPath: string): Promise<LlamaModel> {
  const { logger } = llama;
  const logged: string[] = [];
  llama.logger = (level, message) => {
    logged.push(message);
    logger(level, message);
  };
  try {
    return await llama.loadModel({ modelPath, checkTensors: true });
  } catch (thrown) {
    // The last lines of the log arrive in a turn of the event loop of their own.
    await setImmediate();
    const reason = reasonIn(logged.join("\n"));
    if (reason === null) throw thrown;
    throw new Error(reason.replaceAll(`${dirname(modelPath)}${sep}`, ""), { cause: thrown });
  } finally {
    llama.logger = logger;
  }
}

/** Returns the last reason in the log, such as `unknown pre-tokenizer type: 'no'`; null when there is none. */
function reasonIn(log: string): string | null {
  const [, reason] = [...log.matchAll(/error loading model: (.+)/g)].at(-1) ?? [];
  return reason === undefined ? null : reason.replace(/\p{Cc}+/gu, " ").trim();
}
