/**
 * The part of the composition root that leads commands to the interface of the operator: by the socket of the server that runs with the same
 * data folder, or in the process of the command when none runs.
 */
import { connect } from "node:net";
import type { Config } from "../../config/config.js";
import { operatorSocket } from "../../store/data-folder.js";
import { systemClock } from "../../system/clock.js";
import type { Operator } from "./in-process.js";

/** Opens the interface of the operator. @throws Error with one sentence when there is no server and its database cannot be opened. */
export async function openOperator(config: Config): Promise<Operator> {
  const socketPath = operatorSocket(config);
  if (socketPath !== null && (await accepts(socketPath)))
    return { connection: { socketPath }, clock: systemClock, close: () => Promise.resolve() };
  // A command that a server answers loads neither its routes nor the database.
  const { openInProcess } = await import("./in-process.js");
  return openInProcess(config);
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
