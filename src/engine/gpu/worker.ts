/** The process that finds out whether a GPU can be used. */
import type { GpuSetting } from "./memory.js";
import { gpuReport } from "./report.js";

process.once("message", (config: GpuSetting) => {
  void gpuReport(config).then((report) => process.send?.(report, () => process.exit()));
});
