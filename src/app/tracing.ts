/** The part of the composition root that builds the traces. */
import type { Config } from "../config/config.js";
import { noTracing } from "../core/telemetry/tracing.js";
import { version } from "../system/version.js";
import type { SystemDeps } from "./system-deps.js";

/** Builds the traces as the variables of OpenTelemetry say. Its SDK is loaded only where they ask for it. */
export async function buildTracing(config: Config, { clock, logger }: SystemDeps) {
  const { traceExport } = config;
  if (traceExport.state === "refused") logger.warn({ reason: traceExport.reason }, "nothing is traced");
  if (traceExport.state !== "on") return { ...noTracing, close: () => Promise.resolve() };
  const { createOpenTelemetry } = await import("../telemetry/open-telemetry.js");
  return createOpenTelemetry({
    ...traceExport,
    clock,
    version,
    takesContent: config.traceContent,
    log: (problem) => logger.warn({ problem }, "traces are not exported as they should be"),
  });
}
