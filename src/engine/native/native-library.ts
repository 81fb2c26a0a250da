/** Small libraries of ours, compiled by the build, that work on the engine's contexts or take calls of its addon on their way to llama.cpp. */
import { existsSync } from "node:fs";
import { constants } from "node:os";
import { locateLibrary } from "./libraries.js";

export type NativeLibrary<T> =
  { readonly type: "loaded"; readonly exports: T } | { readonly type: "absent"; readonly reason: string };

interface LibraryToLoad<T> {
  /** Where libraries are; null: the program does without. */
  readonly folder: string | null;
  /** Its file, without the ending. */
  readonly file: string;
  /** A function that it exports. */
  readonly exported: keyof T;
  /** Whether the engine's addon, which is loaded later, calls its functions; absent = false. */
  readonly precedesEngine?: boolean;
}

/** Returns why there is no file of a library; null: there is one. */
export function explainMissing(folder: string | null, file: string): string | null {
  const path = locateLibrary(folder, file);
  if (path === null) return "it is turned off";
  if (process.platform !== "linux") return `it is not made for ${process.platform}`;
  return existsSync(path) ? null : "it was not compiled: there was no compiler at the build";
}

/** Loads a library. One that precedes the engine has to be loaded before the engine's own is loaded in this process. */
export function loadNativeLibrary<T extends object>({
  folder,
  file,
  exported,
  precedesEngine = false,
}: LibraryToLoad<T>): NativeLibrary<T> {
  const absent = (reason: string): NativeLibrary<T> => ({ type: "absent", reason });
  const missing = explainMissing(folder, file);
  const path = locateLibrary(folder, file);
  if (missing !== null || path === null) return absent(missing ?? "");
  const loaded: { exports: Partial<T> } = { exports: {} };
  const { RTLD_NOW, RTLD_GLOBAL } = constants.dlopen;
  try {
    process.dlopen(loaded, path, precedesEngine ? RTLD_NOW | RTLD_GLOBAL : RTLD_NOW);
  } catch (thrown) {
    return absent(thrown instanceof Error ? thrown.message : String(thrown));
  }
  if (loaded.exports[exported] === undefined) return absent(`${path} is another library`);
  return { type: "loaded", exports: loaded.exports as T };
}
