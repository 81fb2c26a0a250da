/**
 * A temporary copy of the checkout in which the prebuilt engine has the library of one CPU generation only. Packages are links
 * to the checkout's, but for the engine's own: Node.js and ggml look for files beside the true place of the file that asks.
 */
import { constants, copyFileSync, cpSync, mkdirSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { nameLibrary } from "./generations.js";

/** Where the libraries lie in a checkout. */
export const libraryFolder = "node_modules/@node-llama-cpp/linux-x64/bins/linux-x64";

const copied = ["package.json", "tsconfig.json", "vitest.config.ts", "dist", "scripts", "src", "test"];
const linked = ["models"];
const enginePackages = ["node-llama-cpp", "@node-llama-cpp"];

export interface CheckoutCopy {
  /** Puts one generation's library in place and removes every other. */
  use(generation: string): void;
}

/** Copies what the tests of the engine need into an empty folder. The checkout itself is never written to. */
export function copyCheckout(root: string, folder: string): CheckoutCopy {
  for (const name of copied) copy(root, folder, name);
  for (const name of linked) symlinkSync(join(root, name), join(folder, name));
  mkdirSync(join(folder, "node_modules"));
  const packages = readdirSync(join(root, "node_modules")).filter((name) => !name.startsWith("."));
  for (const name of packages)
    if (!enginePackages.includes(name))
      symlinkSync(join(root, "node_modules", name), join(folder, "node_modules", name));
  copy(root, folder, "node_modules/node-llama-cpp");
  // Only the build of the engine for the CPU: the others bring libraries of their own.
  copy(root, folder, dirname(dirname(libraryFolder)));
  const libraries = join(folder, libraryFolder);
  return {
    use(generation) {
      for (const file of readdirSync(libraries))
        if (file.startsWith("libggml-cpu-")) rmSync(join(libraries, file));
      const library = nameLibrary(generation);
      copyFileSync(join(root, libraryFolder, library), join(libraries, library));
    },
  };
}

function copy(root: string, folder: string, name: string): void {
  cpSync(join(root, name), join(folder, name), {
    recursive: true,
    preserveTimestamps: true,
    mode: constants.COPYFILE_FICLONE,
  });
}
