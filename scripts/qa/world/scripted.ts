import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { startProcess, stopProcess } from "./processes.js";
import { benchKey, listening } from "./server.js";

/** A Hearth server with the scripted engine, in a separate process. */
export interface ScriptedServer {
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
  /** Kills it at once, without a shutdown. */
  kill(): Promise<void>;
}

/**
 * @param data its data folder @param model whether requests are answered at once, with many tokens, in a model's time, or never
 * @param settings HEARTH_* variables in addition
 */
export async function startScripted(
  data: string,
  model: "answers" | "long" | "works" | "holds",
  settings: Readonly<Record<string, string>> = {},
): Promise<ScriptedServer> {
  const program = fileURLToPath(new URL("./scripted-server.ts", import.meta.url));
  const child = startProcess(process.execPath, ["--import", import.meta.resolve("tsx"), program], {
    env: {
      PATH: process.env["PATH"],
      HEARTH_PORT: "0",
      HEARTH_DATA: data,
      HEARTH_API_KEY: benchKey,
      SCRIPTED: model,
      ...settings,
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  return {
    url: await listening(child),
    pid: child.pid ?? 0,
    stop: () => stopProcess(child),
    async kill() {
      child.kill("SIGKILL");
      await once(child, "exit");
    },
  };
}
