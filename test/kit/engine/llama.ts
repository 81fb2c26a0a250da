/** llama.cpp in the process of the tests, for vocabularies and grammars. */
import { getLlama, LlamaLogLevel, type Llama } from "node-llama-cpp";

let ofProcess: Promise<Llama> | null = null;

/**
 * Returns the one of this process: to load it takes a second, as a child process tries it first. It ends with the process. A test disposes
 * of the models that it loads.
 */
export function loadLlama(): Promise<Llama> {
  return (ofProcess ??= getLlama({
    gpu: false,
    build: "never",
    skipDownload: true,
    logLevel: LlamaLogLevel.disabled,
    maxThreads: 1,
  }));
}
