/** Asks the operating system about itself and its processes. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** A program of the system that takes longer is ended. */
const programMsMax = 2000;

/** Reads a file of the kernel, which is small and no pipe. @returns null if it cannot be read */
export function readSystemFile(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}

/** Runs a program of the system. @returns its standard output; null where it is absent, fails or takes too long */
export function askSystemProgram(program: string, args: readonly string[]): string | null {
  try {
    return execFileSync(program, args, {
      encoding: "utf8",
      timeout: programMsMax,
      stdio: ["ignore", "pipe", "ignore"],
    });
  } catch {
    return null;
  }
}
