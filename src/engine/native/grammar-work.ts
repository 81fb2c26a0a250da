/** Bounds the CPU time that the grammar of an answer takes for one token (grammar-work.c), the comparison with the whole vocabulary included. */
import { loadNativeLibrary } from "./native-library.js";

interface GrammarWorkLibrary {
  cpuMsMax(): number;
}

/**
 * Loads the library that bounds the CPU time of a grammar for one token. Call it before the engine's library is loaded in this process.
 * @param file the compiled library; null to do without
 * @returns the bound in milliseconds; null: none, because there is no such library
 */
export function boundGrammarWork(file: string | null): number | null {
  const library = file === null ? null : loadNativeLibrary<GrammarWorkLibrary>(file, "cpuMsMax");
  return library?.type === "loaded" ? library.exports.cpuMsMax() : null;
}
