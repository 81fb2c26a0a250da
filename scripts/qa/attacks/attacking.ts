/** The process of the attackers: runs all attacks at once until it is told to stop, then sends how they were answered. */
import { attacks } from "./attacks.js";
import { createTally } from "./tally.js";
import type { Target } from "./scene.js";

const over = new AbortController();
const tally = createTally();

process.on("message", (message: Target | "stop") => {
  if (message === "stop") return over.abort();
  void runAll(message);
});

async function runAll(target: Target): Promise<void> {
  const running = Object.entries(attacks).map(async ([name, attack]) => {
    while (!over.signal.aborted)
      await attack({ target, signal: over.signal, count: tally.counterOf(name) }).catch((thrown: unknown) => {
        if (!over.signal.aborted)
          tally.counterOf(name)(thrown instanceof Error ? thrown.message : String(thrown));
      });
  });
  await Promise.all(running);
  process.send?.(tally.outcomes(), () => process.exit(0));
}
