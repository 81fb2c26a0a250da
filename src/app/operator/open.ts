/**
 * The part of the composition root that leads commands to the interface of the operator: by the socket of the server that runs with the same
 * data folder, or in the process of the command when none runs.
 */
import { connect } from "node:net";
import type { Config } from "../../config/config.js";
import { configuredUrl } from "../../config/configured-url.js";
import { operatorSocket } from "../../store/data-folder.js";
import { systemClock } from "../../system/clock.js";
import type { Operator } from "./serve.js";

export type { Operator };

/** Opens the interface about accounts. @throws Error with one sentence when there is no server and its database cannot be opened. */
export async function openOperator(config: Config): Promise<Operator> {
  // A command that a server answers loads neither its routes nor the database.
  return (await findOperatorServer(config)) ?? (await import("./in-process.js")).openInProcess(config);
}

/** Opens the interface about models. */
export async function openModelOperator(config: Config): Promise<Operator> {
  return (
    (await findOperatorServer(config)) ?? (await import("./models-in-process.js")).openModelsInProcess(config)
  );
}

/** Opens the interface of the running server. @throws Error with one sentence when there is none. */
export async function openServer(config: Config): Promise<Operator> {
  const server = await findOperatorServer(config);
  if (server !== null) return server;
  if (operatorSocket(config) === null)
    throw new Error(`commands cannot reach a server whose data folder has such a long path: ${config.data}`);
  throw new Error(`no server is running at ${configuredUrl(config)}; start one with \`hearth start\``);
}

/** Opens the interface of the running server; null when none answers. */
export async function findOperatorServer(config: Config): Promise<Operator | null> {
  const socketPath = operatorSocket(config);
  if (socketPath === null || !(await accepts(socketPath))) return null;
  return { connection: { socketPath }, clock: systemClock, close: () => Promise.resolve() };
}

function accepts(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(socketPath);
    socket.once("connect", () => {
      resolve(true);
      socket.destroy();
    });
    socket.once("error", () => resolve(false));
  });
}

/** Who uses a data folder. */
interface DataLock {
  readonly pid: number;
  /** Base URL at which this machine reaches the server; null: it is a command. */
  readonly url: string | null;
  /** Whether the lock is held; otherwise the process was killed, or it waits to start its server again. */
  readonly isHeld: boolean;
}

/** Returns null where nobody is known to use the folder. */
export async function readDataLock({ data }: Config): Promise<DataLock | null> {
  const { readLockHolder } = await import("../../store/folder/lock-holder.js");
  const { isFolderLocked } = await import("../../store/folder/lock.js");
  const holder = readLockHolder(data);
  return holder === null ? null : { ...holder, isHeld: isFolderLocked(data) };
}
