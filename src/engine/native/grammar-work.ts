/** Bounds the CPU time that the grammar of an answer takes for one token (grammar-work.c), the comparison with the whole vocabulary included. */
import { loadNativeLibrary } from "./native-library.js";

interface GrammarWorkLibrary {
  cpuMsMax(): number;
}

/**
 * Loads the library that bounds the CPU time of a grammar for one token. Call it before the engine's library is loaded in this process.
 * @param folder of the compiled libraries; null to do without
 * @returns the bound in milliseconds; null: none, because there is no such library
 */
export function boundGrammarWork(folder: string | null): number | null {
  const library = loadNativeLibrary<GrammarWorkLibrary>({
    folder,
    file: "grammar-work",
    exported: "cpuMsMax",
    precedesEngine: true,
  });
  return library.type === "loaded" ? library.exports.cpuMsMax() : null;
}
