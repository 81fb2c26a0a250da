/** The process of the attackers: runs attacks at once until the message `stop`, then sends how they were answered. */
import { attacks } from "./attacks.js";
import { createTally } from "./tally.js";
import type { AttackOrder } from "./attackers.js";

const over = new AbortController();
const tally = createTally();

process.on("message", (message: AttackOrder | "stop") => {
  if (message === "stop") return over.abort();
  void runAll(message);
});

async function runAll({ target, only }: AttackOrder): Promise<void> {
  const chosen = Object.entries(attacks).filter(([name]) => only.length === 0 || only.includes(name));
  const running = chosen.map(async ([name, attack]) => {
    while (!over.signal.aborted)
      await attack({ target, signal: over.signal, count: tally.counterOf(name) }).catch((thrown: unknown) => {
        if (!over.signal.aborted)
          tally.counterOf(name)(thrown instanceof Error ? thrown.message : String(thrown));
      });
  });
  await Promise.all(running);
  process.send?.(tally.outcomes(), () => process.exit(0));
}
