/** What the system knows of other processes. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { readErrorCode } from "./file-errors.js";

const psMsMax = 2000;

/** Whether a process runs. One that has ended, and whose parent has not noticed, does not. */
export function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (thrown) {
    if (readErrorCode(thrown) !== "EPERM") return false;
  }
  return process.platform !== "linux" || !/\) Z /.test(read(`/proc/${pid}/stat`));
}

/** Returns the command line of a process, its parts separated by blanks; empty where the system does not say. */
export function readCommandLine(pid: number): string {
  if (process.platform === "linux") return read(`/proc/${pid}/cmdline`).replaceAll("\0", " ").trim();
  if (process.platform === "win32") return "";
  try {
    return execFileSync("ps", ["-o", "command=", "-p", String(pid)], {
      encoding: "utf8",
      timeout: psMsMax,
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();
  } catch {
    return "";
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
