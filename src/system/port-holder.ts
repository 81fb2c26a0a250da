/** Finds the process that listens on a port, as far as this user may see it. */
import { readdirSync, readlinkSync } from "node:fs";
import { askSystemProgram, readSystemFile } from "./ask-system.js";

export interface PortHolder {
  readonly pid: number;
  /** Name of its program. */
  readonly program: string;
}

/** Returns null where the process belongs to another user, or the system does not say. */
export function findPortHolder(port: number, platform = process.platform): PortHolder | null {
  try {
    if (platform === "linux") return findOnLinux(port);
    if (platform === "win32") return null;
    return parseLsof(askSystemProgram("lsof", ["-nP", `-iTCP:${port}`, "-sTCP:LISTEN", "-Fpc"]) ?? "");
  } catch {
    return null;
  }
}

function findOnLinux(port: number): PortHolder | null {
  const inodes = ["/proc/net/tcp", "/proc/net/tcp6"].flatMap((file) =>
    listeningInodes(readSystemFile(file) ?? "", port),
  );
  const sockets = new Set(inodes.map((inode) => `socket:[${inode}]`));
  if (sockets.size === 0) return null;
  const pid = readdirSync("/proc").find((name) => /^\d+$/.test(name) && hasSocket(name, sockets));
  return pid === undefined
    ? null
    : { pid: Number(pid), program: (readSystemFile(`/proc/${pid}/comm`) ?? "").trim() };
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

/** Reads the first process of `lsof -Fpc`: a line `p` and its id, and a line `c` and its name. */
export function parseLsof(text: string): PortHolder | null {
  const [, pid] = /^p(\d+)$/m.exec(text) ?? [];
  const [, program] = /^c(.+)$/m.exec(text) ?? [];
  return pid === undefined || program === undefined ? null : { pid: Number(pid), program };
}
