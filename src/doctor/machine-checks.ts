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
import { version } from "../system/version.js";
import { readLastBackup } from "../backup/last-backup.js";
import { certificateReport } from "./certificate-report.js";
import { openEngineHooks } from "../engine/native/engine-hooks.js";
import { nativeFolder } from "../engine/native/libraries.js";
import { explainMissing } from "../engine/native/native-library.js";

/** With less, the database, files and images can soon not be written any more. */
const freeBytesMin = 500_000_000;

interface MachineCheckOptions {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Whether a server that runs asks, which has its port. */
  readonly isServer: boolean;
}

/** Returns what can be known of the machine without a model. */
export async function machineChecks(
  config: Config,
  { now, isServer }: MachineCheckOptions,
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
    ...(isServer ? [] : [await portCheck(config)]),
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
    return { name: "disk", ok: true, detail: `its free space is not known: ${reason(thrown)}` };
  }
}

/** Does not check that the backup still exists: it may have been moved. */
async function backupCheck(config: Config): Promise<DoctorCheck> {
  const last = await readLastBackup(config);
  const detail =
    last === null
      ? "none of this data folder yet: `hearth backup FILE`"
      : `the last one is of ${last.created}, ${sizeText(last.bytes)}, ${last.file}`;
  return { name: "backup", ok: true, detail };
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
  return { name: "threads", ok: true, detail };
}

/** Models without it read text, and descriptions of images, so the check does not fail. */
function mediaCheck(): DoctorCheck {
  const reason = explainMissing(nativeFolder, "media");
  const detail =
    reason === null
      ? "models read images and sound by the projectors beside them"
      : `models read no images and no sound themselves: ${reason}`;
  return { name: "media", ok: true, detail };
}

/** Returns the folder or its nearest parent that exists. */
function nearestExisting(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : nearestExisting(dirname(folder));
}

/** A port in use does not fail the check, because the server itself may use it. */
function portCheck(config: Config): Promise<DoctorCheck> {
  const address = `${config.host}:${config.port}`;
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", (error) =>
      resolve({ name: "port", ok: true, detail: `${address} is not available: ${reason(error)}` }),
    );
    probe.listen(config.port, config.host, () => {
      probe.close(() => resolve({ name: "port", ok: true, detail: `${address} is available` }));
    });
  });
}

function reason(thrown: unknown): string {
  return thrown instanceof Error && "code" in thrown
    ? String(thrown.code)
    : thrown instanceof Error
      ? thrown.message
      : String(thrown);
}
