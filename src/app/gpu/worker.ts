/** The process that finds out whether a GPU can be used. */
import type { Config } from "../../config/config.js";
import { gpuReport } from "./report.js";

process.once("message", (config: Pick<Config, "gpu">) => {
  void gpuReport(config).then((report) => process.send?.(report, () => process.exit()));
});
