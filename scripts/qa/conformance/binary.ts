import { join } from "node:path";

/** Returns a program of an installed package, as npm links it. @param installed the folder of the package. */
export function findBinary(installed: string, name: string): string {
  const folder = installed.slice(0, installed.lastIndexOf("node_modules"));
  return join(folder, "node_modules", ".bin", name);
}
