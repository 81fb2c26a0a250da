/** What takes turns of the real event loop: the closing of simulated processes, and waiting until nothing happens. */
import type { SimulatedServer } from "./server.js";
import { Violation } from "../checks/violation.js";

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

/** Resolves when nothing happens any more at this time: there is no input or output that could still arrive. @param activity grows with everything. */
export async function settle(activity: () => number): Promise<void> {
  let quietTurns = 0;
  let before = activity();
  while (quietTurns < 2) {
    await turn();
    const now = activity();
    quietTurns = now === before ? quietTurns + 1 : 0;
    before = now;
  }
}
