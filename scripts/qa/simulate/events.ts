/** What happens to a simulated server from outside: faults of its disk, restarts, a machine that sleeps, purchases of credit. */
import type { Chance } from "../figures/chance.js";
import type { DiskFault, FaultKind } from "./disk.js";
import type { SimulatedTime } from "./time.js";

const hourMs = 3_600_000;

const faultKinds: readonly FaultKind[] = [
  "busy",
  "busy",
  "full",
  "full",
  "io",
  "kill",
  "kill",
  "power-cut",
  "power-cut",
];

/** Statements that a fault hits at most. */
const statementsMax: Readonly<Record<FaultKind, number>> = {
  busy: 4,
  full: 120,
  io: 40,
  kill: 1,
  "power-cut": 1,
};

/** Draws a fault that begins within the next requests. */
export function drawFault(chance: Chance): DiskFault {
  const kind = chance.pick(faultKinds);
  return {
    kind,
    afterStatements: chance.between(0, 150),
    statements: chance.between(1, statementsMax[kind]),
  };
}

/** Plans what happens every few hours, until `endsAt`. */
export function planEvents(
  time: SimulatedTime,
  chance: Chance,
  endsAt: () => number,
  actions: { readonly restart: () => void; readonly buy: () => void },
): void {
  const again = (leastMs: number, mostMs: number, action: () => void): void => {
    time.after(chance.between(leastMs, mostMs), () => {
      if (time.elapsed >= endsAt()) return;
      action();
      again(leastMs, mostMs, action);
    });
  };
  again(2 * hourMs, 8 * hourMs, actions.restart);
  again(4 * hourMs, 16 * hourMs, () => time.jump(chance.between(1000, hourMs)));
  again(hourMs, 3 * hourMs, actions.buy);
}
