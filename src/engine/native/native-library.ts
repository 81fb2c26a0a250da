/** Small libraries of ours, compiled by the build, that take calls of the engine's addon on their way to llama.cpp. */
import { existsSync } from "node:fs";
import { constants } from "node:os";

type NativeLibrary<T> =
  { readonly type: "loaded"; readonly exports: T } | { readonly type: "absent"; readonly reason: string };

/**
 * Loads a library, before the engine's own is loaded in this process.
 * @param name of a function that it exports
 */
export function loadNativeLibrary<T extends object>(file: string, name: keyof T): NativeLibrary<T> {
  const absent = (reason: string): NativeLibrary<T> => ({ type: "absent", reason });
  if (process.platform !== "linux") return absent(`it is not made for ${process.platform}`);
  if (!existsSync(file)) return absent("it was not compiled: there was no C compiler at the build");
  const loaded: { exports: Partial<T> } = { exports: {} };
  try {
    process.dlopen(loaded, file, constants.dlopen.RTLD_NOW | constants.dlopen.RTLD_GLOBAL);
  } catch (thrown) {
    return absent(thrown instanceof Error ? thrown.message : String(thrown));
  }
  if (loaded.exports[name] === undefined) return absent(`${file} is another library`);
  return { type: "loaded", exports: loaded.exports as T };
}
