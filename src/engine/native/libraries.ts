/** The folder of the libraries that the build compiles where there is a compiler. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder that `npm run build` writes them to. */
export const nativeFolder = fileURLToPath(new URL("../../../dist/native", import.meta.url));

/** Returns the file of a library. @param folder null: do without libraries */
export function locateLibrary(folder: string | null, name: string): string | null {
  return folder === null ? null : join(folder, `${name}.node`);
}
