/** llama.cpp in the process of the tests, for vocabularies and grammars. */
import { join } from "node:path";
import { getLlama, LlamaLogLevel, type Llama } from "node-llama-cpp";
import { openEngineHooks } from "../../../src/engine/native/engine-hooks.js";
import { boundGrammarWork } from "../../../src/engine/native/grammar-work.js";
import { root } from "../folder.js";

let ofProcess: Promise<Llama> | null = null;

/** The compiled libraries take calls of the engine's addon. They have to be loaded before it, also for servers of later tests. */
const native = join(root, "dist/native");
openEngineHooks(native);
boundGrammarWork(native);

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
