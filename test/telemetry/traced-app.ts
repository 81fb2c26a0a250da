/** A server over the scripted engine that exports its traces to a collector. */
import { onTestFinished, vi } from "vitest";
import { readTraceExport } from "../../src/config/tracing.js";
import type { Config } from "../../src/config/config.js";
import type { Script } from "../kit/scripted/engine.js";
import { type ScriptedServer, type ScriptedSettings, startServer } from "../kit/server.js";

/** Sets variables of OpenTelemetry for the rest of the test: its SDK reads them from the environment of the process. */
export function setVariables(variables: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
}

/** Starts a server whose traces the variables describe; they have to be set before its settings are read. */
export function startTracedApp(
  script: Script,
  variables: Readonly<Record<string, string>>,
  options: ScriptedSettings = {},
  config: Partial<Config> = {},
): Promise<ScriptedServer> {
  setVariables({ OTEL_BSP_SCHEDULE_DELAY: "10", ...variables });
  const traceExport = readTraceExport(process.env);
  return startServer({ engine: script, ...options, config: { traceExport, ...config } });
}
