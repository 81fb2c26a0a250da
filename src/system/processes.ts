/** What the system knows of other processes. */
import { askSystemProgram, readSystemFile } from "./ask-system.js";
import { readErrorCode } from "./file-errors.js";

/** Whether a process runs. One that has ended, and whose parent has not noticed, does not. */
export function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (thrown) {
    if (readErrorCode(thrown) !== "EPERM") return false;
  }
  return process.platform !== "linux" || !/\) Z /.test(readSystemFile(`/proc/${pid}/stat`) ?? "");
}

/** Returns the command line of a process, its parts separated by blanks; empty where the system does not say. */
export function readCommandLine(pid: number): string {
  if (process.platform === "win32") return "";
  const written =
    process.platform === "linux"
      ? readSystemFile(`/proc/${pid}/cmdline`)?.replaceAll("\0", " ")
      : askSystemProgram("ps", ["-o", "command=", "-p", String(pid)]);
  return (written ?? "").trim();
}
