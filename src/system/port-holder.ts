/** Finds the process that listens on a port, as far as this user may see it. */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";

export interface PortHolder {
  readonly pid: number;
  /** Name of its program. */
  readonly program: string;
}

const lsofMsMax = 2000;

/** Returns null where the process belongs to another user, or the system does not say. */
export function findPortHolder(port: number, platform = process.platform): PortHolder | null {
  try {
    if (platform === "linux") return findOnLinux(port);
    return platform === "win32" ? null : parseLsof(askLsof(port));
  } catch {
    return null;
  }
}

function findOnLinux(port: number): PortHolder | null {
  const inodes = ["/proc/net/tcp", "/proc/net/tcp6"].flatMap((file) => listeningInodes(read(file), port));
  const sockets = new Set(inodes.map((inode) => `socket:[${inode}]`));
  if (sockets.size === 0) return null;
  const pid = readdirSync("/proc").find((name) => /^\d+$/.test(name) && hasSocket(name, sockets));
  return pid === undefined ? null : { pid: Number(pid), program: read(`/proc/${pid}/comm`).trim() };
}

/** Returns the inodes of the sockets that listen on a port. @param table the text of /proc/net/tcp or tcp6 */
export function listeningInodes(table: string, port: number): readonly string[] {
  const ending = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  return table.split("\n").flatMap((line) => {
    const [, local = "", , state, , , , , , inode] = line.trim().split(/\s+/);
    return state === "0A" && local.endsWith(ending) && inode !== undefined ? [inode] : [];
  });
}

function hasSocket(pid: string, sockets: ReadonlySet<string>): boolean {
  try {
    const folder = `/proc/${pid}/fd`;
    return readdirSync(folder).some((fd) => sockets.has(link(`${folder}/${fd}`)));
  } catch {
    // A process of another user, or one that has ended.
    return false;
  }
}

function link(path: string): string {
  try {
    return readlinkSync(path);
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

function askLsof(port: number): string {
  const args = ["-nP", `-iTCP:${port}`, "-sTCP:LISTEN", "-Fpc"];
  return execFileSync("lsof", args, {
    encoding: "utf8",
    timeout: lsofMsMax,
    stdio: ["ignore", "pipe", "ignore"],
  });
}

/** Reads the first process of `lsof -Fpc`: a line `p` and its id, and a line `c` and its name. */
export function parseLsof(text: string): PortHolder | null {
  const [, pid] = /^p(\d+)$/m.exec(text) ?? [];
  const [, program] = /^c(.+)$/m.exec(text) ?? [];
  return pid === undefined || program === undefined ? null : { pid: Number(pid), program };
}
