/** Closing of simulated processes, which takes turns of the real event loop, too. */
import type { SimulatedServer } from "./server.js";
import { Violation } from "./checks/violation.js";

/** Turns of the event loop within which a process that is closing must close. */
export const closingTurnsMax = 50_000;
/** Turns within which the system has closed a port. */
export const portTurns = 16;

/** Closes a process that is dead, outside of simulated time. @throws Violation when it does not close. */
export async function closeDead({ app, clock }: SimulatedServer): Promise<void> {
  clock.kill();
  let isClosed = false;
  const closed = app.close().finally(() => (isClosed = true));
  for (let turns = 0; !isClosed; turns += 1) {
    if (turns > closingTurnsMax) throw new Violation("a process can close", "it does not");
    await turn();
    if (turns % portTurns === portTurns - 1) clock.runNext();
  }
  await closed;
}

/** Resolves in the next turn of the event loop, when all promises have been followed. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
