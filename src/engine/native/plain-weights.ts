/** Loading of models whose weights some processors lay out in a way that llama.cpp cannot compute with (plain-weights.c). */
import { readFileSync } from "node:fs";
import { loadNativeLibrary } from "./native-library.js";

interface PlainWeightsLibrary {
  setPlain(isPlain: boolean): void;
}

/** Loads a model; one that needs it, with its weights in their plain layout. */
export type LoadPlainly = <T>(load: () => Promise<T>) => Promise<T>;

/**
 * Returns the function that loads one model at a time plainly. Call it before the engine's library is loaded in this process.
 * @param folder of the compiled libraries; null to do without
 */
export function plainLoading(folder: string | null): LoadPlainly {
  const library = loadNativeLibrary<PlainWeightsLibrary>({
    folder,
    file: "plain-weights",
    exported: "setPlain",
    precedesEngine: true,
  });
  return async (load) => {
    if (library.type === "loaded") {
      library.exports.setPlain(true);
      return load().finally(() => library.exports.setPlain(false));
    }
    if (hasTileInstructions())
      throw new Error(
        "llama.cpp cannot compute it with the layout that it gives weights on this processor (AMX); a build with a C compiler avoids that layout",
      );
    return load();
  };
}

/** Returns whether the processor has AMX, which llama.cpp uses on Linux where the system allows it. */
function hasTileInstructions(): boolean {
  try {
    return /^flags\s*:.*\bamx_int8\b/m.test(readFileSync("/proc/cpuinfo", "utf8"));
  } catch {
    return false;
  }
}
