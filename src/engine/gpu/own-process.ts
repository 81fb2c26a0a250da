import { fork } from "node:child_process";
import { seenGpu, type GpuSetting } from "./memory.js";
import { gpuReport, type GpuReport } from "./report.js";

/** A driver that hangs must not keep its caller waiting. */
const reportMsMax = 20_000;

/**
 * Does what `gpuReport` does, for a server: the library keeps state in its process, where models may run. A process is started only
 * where there may be a GPU.
 */
export function gpuReportInOwnProcess({ gpu }: GpuSetting): Promise<GpuReport> {
  if (gpu === "off" || seenGpu() === "none") return gpuReport({ gpu });
  return reportOfProcess({ gpu }, new URL("./worker.js", import.meta.url));
}

/** Starts the process, and returns what it finds. Never rejects. */
export function reportOfProcess(config: GpuSetting, workerUrl: URL): Promise<GpuReport> {
  return new Promise((resolve) => {
    const child = fork(workerUrl, {
      execArgv: [],
      stdio: ["ignore", "ignore", "ignore", "ipc"],
      timeout: reportMsMax,
      killSignal: "SIGKILL",
    });
    const fail = (): void =>
      resolve({ ok: true, detail: "it could not be found out whether a GPU can be used" });
    child.once("message", (report) => resolve(report as GpuReport));
    child.once("error", fail);
    child.once("exit", fail);
    child.send({ gpu: config.gpu }, () => undefined);
  });
}
