/** Checks of the machine: folders, disk, processor, certificate. */
import { constants, existsSync, statSync } from "node:fs";
import { access, statfs } from "node:fs/promises";
import { createServer } from "node:net";
import { availableParallelism, cpus } from "node:os";
import { dirname } from "node:path";
import type { Config } from "../config/config.js";
import type { DoctorCheck } from "../core/report/doctor.js";
import { sizeText } from "../core/report/size-text.js";
import { freeMemoryBytes } from "../models/fit/free-memory.js";
import { limitMemory, usableCores } from "../engine/worker/machine.js";
import { databaseFile } from "../store/data-folder.js";
import { explainFailure, readErrorCode } from "../system/file-errors.js";
import { version } from "../system/version.js";
import { readLastBackup } from "../backup/last-backup.js";
import { openEngineHooks } from "../engine/native/engine-hooks.js";
import { nativeFolder } from "../engine/native/libraries.js";
import { explainMissing } from "../engine/native/native-library.js";
import { readCertificate } from "../http/server/tls.js";

/** With less, the database, files and images can soon not be written any more. */
const freeBytesMin = 500_000_000;

interface MachineCheckOptions {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Whether a server that runs asks, which has its port. */
  readonly isServer: boolean;
  /** The running server of the data folder, in words; null: none is known. */
  readonly running: string | null;
}

/** Returns what can be known of the machine without a model. */
export async function machineChecks(
  config: Config,
  { now, isServer, running }: MachineCheckOptions,
): Promise<readonly DoctorCheck[]> {
  const certificate = certificateReport(config, now);
  return [
    {
      name: "version",
      ok: true,
      detail: `Hearth ${version}, Node.js ${process.versions.node}, ${process.platform}-${process.arch}`,
    },
    await folderCheck(config.data),
    await diskCheck(config.data),
    await backupCheck(config),
    ...(isServer ? [] : [await portCheck(config, running)]),
    ...(certificate === null ? [] : [{ name: "certificate", ...certificate }]),
    ...tracesChecks(config),
    processorCheck(),
    memoryCheck(config),
    threadsCheck(config),
    mediaCheck(),
  ];
}

/** Nothing where no traces are wanted. */
function tracesChecks({ traceExport }: Config): readonly DoctorCheck[] {
  switch (traceExport.state) {
    case "off":
      return [];
    case "refused":
      return [{ name: "traces", ok: false, detail: traceExport.reason }];
    case "on":
      return [{ name: "traces", ok: true, detail: `exported by ${traceExport.protocol}` }];
  }
}

async function folderCheck(folder: string): Promise<DoctorCheck> {
  const nearest = nearestExisting(folder);
  try {
    if (!statSync(nearest).isDirectory()) throw new Error(`${nearest} is not a folder`);
    await access(nearest, constants.R_OK | constants.W_OK);
    return { name: "data folder", ok: true, detail: `${folder} is writable` };
  } catch (thrown) {
    return { name: "data folder", ok: false, detail: `${folder} is not writable: ${reason(thrown)}` };
  }
}

async function diskCheck(folder: string): Promise<DoctorCheck> {
  try {
    const { bavail, blocks, bsize } = await statfs(nearestExisting(folder));
    const free = bavail * bsize;
    const text = `${sizeText(free)} of ${sizeText(blocks * bsize)} are free for ${folder}`;
    if (free >= freeBytesMin) return { name: "disk", ok: true, detail: text };
    return {
      name: "disk",
      ok: false,
      detail: `${text}: delete something, before nothing can be written any more`,
    };
  } catch (thrown) {
    return {
      name: "disk",
      ok: true,
      warning: true,
      detail: `its free space is not known: ${reason(thrown)}`,
    };
  }
}

/** Does not check that the backup still exists: it may have been moved. */
async function backupCheck(config: Config): Promise<DoctorCheck> {
  const last = await readLastBackup(config);
  if (last !== null) {
    const detail = `the last one is of ${last.created}, ${sizeText(last.bytes)}, ${last.file}`;
    return { name: "backup", ok: true, detail };
  }
  if (config.databaseUrl !== null)
    return {
      name: "backup",
      ok: true,
      detail: "the tools of PostgreSQL back up its database, such as pg_dump",
    };
  if (!existsSync(databaseFile(config)))
    return { name: "backup", ok: true, detail: "there is nothing to back up yet" };
  return {
    name: "backup",
    ok: true,
    warning: true,
    detail: "none of this data folder yet: `hearth backup FILE`",
  };
}

function processorCheck(): DoctorCheck {
  const model = cpus()[0]?.model.trim().replaceAll(/\s+/g, " ") ?? "";
  const threads = availableParallelism();
  const detail = `${usableCores()} cores that models can use, ${threads} threads${model === "" ? "" : `, ${model}`}`;
  return { name: "processor", ok: true, detail };
}

/** A model that does not fit is refused when it is requested, so the check does not fail. */
function memoryCheck({ memoryBytesMax }: Config): DoctorCheck {
  const [limit, free] = [limitMemory(memoryBytesMax), freeMemoryBytes()].map(sizeText);
  const share = memoryBytesMax === 0 ? " at most, of what is free" : " (memoryBytesMax), whatever is free";
  return { name: "memory", ok: true, detail: `${free} are free; models may take ${limit}${share}` };
}

/** Threads made for every token only cost speed, so the check does not fail. */
function threadsCheck({ threadPool }: Config): DoctorCheck {
  const hooks = openEngineHooks(nativeFolder);
  const reason =
    threadPool === "off" ? "it is turned off (threadPool)" : hooks.type === "absent" ? hooks.reason : null;
  const detail =
    reason === null
      ? "kept between tokens"
      : `made anew for every token, which costs a model that uses several threads up to a third of its speed: ${reason}`;
  const isSlow = reason !== null && threadPool !== "off";
  return { name: "threads", ok: true, ...(isSlow && { warning: true }), detail };
}

/** Models without it read text, and descriptions of images, so the check does not fail. */
function mediaCheck(): DoctorCheck {
  const reason = explainMissing(nativeFolder, "media");
  const detail =
    reason === null
      ? "models read images and sound by the projectors beside them"
      : `models read no images and no sound themselves: ${reason}`;
  return { name: "media", ok: true, ...(reason !== null && { warning: true }), detail };
}

/** Returns the folder or its nearest parent that exists. */
function nearestExisting(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : nearestExisting(dirname(folder));
}

/** A port in use fails the check, unless the server of this data folder uses it. */
function portCheck(config: Config, running: string | null): Promise<DoctorCheck> {
  const address = `${config.host}:${config.port}`;
  if (running !== null) return Promise.resolve({ name: "port", ok: true, detail: `${address}: ${running}` });
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", (thrown) =>
      resolve({ name: "port", ok: false, detail: `${address} cannot be used: ${explainPort(thrown)}` }),
    );
    probe.listen(config.port, config.host, () => {
      probe.close(() => resolve({ name: "port", ok: true, detail: `${address} is available` }));
    });
  });
}

const portProblems: Readonly<Record<string, string>> = {
  EADDRINUSE: "another program uses it. Stop that program, or set another port, such as HEARTH_PORT=8080",
  EADDRNOTAVAIL: "this machine does not have the address. Set another host, such as HEARTH_HOST=127.0.0.1",
  EACCES: "ports below 1024 need privileges. Set another port, such as HEARTH_PORT=8080",
};

function explainPort(thrown: Error): string {
  return portProblems[readErrorCode(thrown)] ?? explainFailure(thrown);
}

function reason(thrown: unknown): string {
  return explainFailure(thrown);
}

/**
 * Returns the names and the end of the certificate, or why the server cannot use it; null without HTTPS.
 * @param now milliseconds since 1970
 */
function certificateReport({ tlsCert, tlsKey }: Config, now: number): Omit<DoctorCheck, "name"> | null {
  if (tlsCert === null || tlsKey === null) return null;
  try {
    const { names, end, warning } = readCertificate({ certFile: tlsCert, keyFile: tlsKey }, now);
    const detail = warning ?? `valid until ${end.toISOString().slice(0, 10)}`;
    const isWarned = warning !== null && end.getTime() > now;
    return {
      ok: end.getTime() > now,
      ...(isWarned && { warning: true as const }),
      detail: `${names.join(", ") || "no name"}: ${detail}`,
    };
  } catch (thrown) {
    return { ok: false, detail: thrown instanceof Error ? thrown.message : String(thrown) };
  }
}
