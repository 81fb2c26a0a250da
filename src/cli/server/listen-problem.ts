/** What a start says that cannot have its address. */
import { readDataLock } from "../../app/operator/open.js";
import type { Config } from "../../config/config.js";
import { findPortHolder } from "../../system/port-holder.js";

/** @returns an error with a sentence that says who has the address, as far as it is known, and what to do */
export async function listenProblem(config: Config, thrown: unknown): Promise<Error> {
  const code = thrown instanceof Error && "code" in thrown ? thrown.code : null;
  const address = `${config.host}:${config.port}`;
  if (code === "EADDRINUSE") return new Error(await takenText(config, address));
  if (code === "EACCES")
    return new Error(
      `this user has no permission to listen on ${address}. Set HEARTH_PORT to a port above 1023.`,
    );
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}

async function takenText(config: Config, address: string): Promise<string> {
  const own = await readDataLock(config);
  if (own?.isHeld === true && own.url !== null && new URL(own.url).port === String(config.port))
    return `Hearth runs already at ${own.url} (pid ${own.pid}) with the data folder ${config.data}; end it with \`hearth stop\`, or give this one a port and a data folder of its own (HEARTH_PORT, HEARTH_DATA)`;
  const holder = findPortHolder(config.port);
  const by = holder === null ? "another program" : `${holder.program} (pid ${holder.pid})`;
  return `${address} is in use by ${by}. Stop it, or choose another port: \`hearth start --port ${nextPort(config.port)}\``;
}

function nextPort(port: number): number {
  return port < 65_535 ? port + 1 : port - 1;
}
