/**
 * Child processes, temporary folders and other things that must not outlive the program that created them. They are
 * killed and removed however it ends, including Ctrl-C and failures.
 */
import { spawn, type ChildProcess, type SpawnOptions } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const stopMsMax = 20_000;
const running = new Set<ChildProcess>();
const folders = new Set<string>();
const removals = new Set<() => void>();

process.once("exit", () => {
  for (const removal of removals) removal();
  for (const child of running) child.kill("SIGKILL");
  for (const folder of folders) remove(folder);
});
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => process.exit(130));

/** Starts a process that is killed when this one exits. */
export function spawnProcess(
  command: string,
  args: readonly string[],
  options: SpawnOptions = {},
): ChildProcess {
  const child = spawn(command, args, options);
  running.add(child);
  child.once("exit", () => running.delete(child));
  child.once("error", () => running.delete(child));
  return child;
}

/** Starts a program in TypeScript. @param program its file */
export function spawnScript(
  program: URL,
  args: readonly string[] = [],
  options: SpawnOptions = {},
): ChildProcess {
  const loader = ["--import", import.meta.resolve("tsx"), fileURLToPath(program)];
  return spawnProcess(process.execPath, [...loader, ...args], options);
}

/** Terminates a process, and kills it if it does not exit in time. */
export async function stopProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const timer = setTimeout(() => child.kill("SIGKILL"), stopMsMax);
  child.kill("SIGTERM");
  await once(child, "exit");
  clearTimeout(timer);
}

/** Creates a temporary folder that is removed with this process or earlier. */
export function scratchFolder(): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), "hearth-bench-"));
  folders.add(path);
  return {
    path,
    remove() {
      folders.delete(path);
      remove(path);
    },
  };
}

/** Calls a removal when this process ends, before its processes are killed. @returns what calls it earlier, and at most once */
export function atEnd(removal: () => void): () => void {
  removals.add(removal);
  return () => {
    if (removals.delete(removal)) removal();
  };
}

/** Returns the first child process of `pid`, or `pid` itself if it has none. */
export function findChild(pid: number): number {
  const [child] = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ");
  return child === undefined || child === "" ? pid : Number(child);
}

/** Returns the CPU time of a process's main thread in milliseconds. */
export function mainThreadCpuMs(pid: number): number {
  const [running] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, "utf8").split(" ");
  return Number(running) / 1e6;
}

/** Returns the CPU time of a whole process in milliseconds, to 10. */
export function processCpuMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const [user, system] = stat.slice(stat.lastIndexOf(")")).split(" ").slice(12, 14);
  return (Number(user) + Number(system)) * 10;
}

/** Returns the resident memory of a process in bytes. */
export function residentBytes(pid: number): number {
  const kib = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Number(kib) * 1024;
}

/** Returns the resident memory of a process in MB. */
export function residentMb(pid: number): number {
  return residentBytes(pid) / 1024 / 1024;
}

function remove(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}
