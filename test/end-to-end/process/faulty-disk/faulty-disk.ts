/** A disk whose writes fail when a test says so, for a server that runs as a process. */
import { spawnSync } from "node:child_process";
import { mkdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { temporaryFolder } from "../../../kit/folder.js";

const source = fileURLToPath(new URL("shim.c", import.meta.url));

/** Why this machine cannot have such a disk; null when it can. */
export const missing = whatIsMissing();

/** `SHORT`: each write writes half of its bytes, which is no error. */
export type Fault = "EIO" | "ENOSPC" | "EROFS" | "SHORT";

export interface FaultyDisk {
  /** The server's data folder. */
  readonly data: string;
  /** What the server's process is started with. */
  readonly environment: NodeJS.ProcessEnv;
  /** @param part path within the data folder; default: all of it. */
  fail(fault: Fault, part?: string): void;
  repair(): void;
}

/** Compiles the shim and creates a data folder on a disk that works. */
export function createFaultyDisk(): FaultyDisk {
  const folder = realpathSync(temporaryFolder());
  const [data, library, file] = [join(folder, "data"), join(folder, "shim.so"), join(folder, "fault")];
  mkdirSync(data, { mode: 0o700 });
  const { status, stderr } = spawnSync("cc", ["-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"], {
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`cc: ${stderr}`);
  return {
    data,
    environment: { HEARTH_DATA: data, LD_PRELOAD: library, FAULT_FILE: file },
    fail: (fault, part = "") => writeFileSync(file, `${fault} ${join(data, part)}`),
    repair: () => rmSync(file),
  };
}

function whatIsMissing(): string | null {
  if (process.platform !== "linux") return "needs Linux";
  return spawnSync("cc", ["--version"]).status === 0 ? null : "needs a C compiler";
}
