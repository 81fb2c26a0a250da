/** What holds of a process whenever it waits for time to pass. */
import { holds } from "../checks/violation.js";
import type { SimulatedServer } from "./server.js";
import { limits, simulatedModel } from "./world.js";

/** Checks slots and limits. @throws Violation */
export function checkSlots(server: SimulatedServer): void {
  const { scheduler, liveRuns } = server.app;
  const { active } = server.engine;
  const held = scheduler.slotsHeld(simulatedModel.manifest.id);
  const { waiting } = scheduler.load;
  holds(
    held === active,
    "each held slot generates",
    () => `${held} slots are held, ${active} generations run`,
  );
  holds(held <= limits.slots + 1, "slots have their limit", () => `${held} are held`);
  holds(
    waiting === 0 || held >= limits.slots,
    "no slot is free while a run waits",
    () => `${waiting} wait, ${held} run`,
  );
  holds(waiting <= limits.queueDepthMax, "the queue has its limit", () => `${waiting} wait`);
  const runs = liveRuns.size;
  holds(runs <= limits.runsActiveMax, "active runs have their limit", () => `${runs} are active`);
}
