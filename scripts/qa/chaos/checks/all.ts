/** What must hold when all rounds are over. */
import { setTimeout as delay } from "node:timers/promises";
import { scratchFolder } from "../../world/processes.js";
import { checkCharges } from "../../checks/charges.js";
import { runLedgerVerify } from "../../checks/ledger-verify.js";
import type { Row } from "../../world/table.js";
import { checkAccepted } from "./accepted.js";
import { keepReport } from "./report.js";
import type { Scene } from "../scene.js";
import { checkLimits } from "../limited-keys.js";
import type { World } from "../world.js";

export interface Verdict {
  readonly rows: readonly Row[];
}

const drainMsMax = 180_000;

/** Adds to the records what does not hold. */
export async function checkAll(scene: Scene): Promise<Verdict> {
  const { records, servers, world, books } = scene;
  const { judge, waited, crashes } = records;
  await drain(scene);
  const said = await verifyBooks(world);
  judge(said === null, "the books balance", () => `hearth ledger verify: ${said}`);
  await books.checkReservations();
  await books.checkEndedRuns();
  checkLimits(records, servers.length);
  const accepted = await checkAccepted(scene);
  const charges = await checkCharges(books, { waited, crashes, jobTicks: accepted.jobTicks }, judge);
  return { rows: [...accepted.rows, ...charges] };
}

/** Waits until nothing is queued, in flight or running. */
async function drain(scene: Scene): Promise<void> {
  const { observer, records } = scene;
  const from = performance.now();
  const text = `select (select count(*) from jobs) as jobs, (select count(*) from runs where state = 'running') as runs,
    (select count(*) from batches where end_time is null) as batches`;
  for (;;) {
    const [row] = await observer.rows<{ jobs: string; runs: string; batches: string }>(text);
    if (row === undefined) return;
    const left = Object.entries(row).filter(([, count]) => Number(count) > 0);
    if (left.length === 0) return;
    if (performance.now() - from > drainMsMax) {
      const shown = left.map(([name, count]) => `${count} ${name}`).join(", ");
      records.broken.push(`${shown} did not end within ${drainMsMax / 1000} s`);
      return keepReport(scene, "not-ended");
    }
    await delay(250);
  }
}

async function verifyBooks({ environment, databaseUrl }: World): Promise<string | null> {
  const folder = scratchFolder();
  try {
    return await runLedgerVerify({
      ...environment,
      HEARTH_DATA: folder.path,
      HEARTH_DATABASE_URL: databaseUrl,
    });
  } finally {
    folder.remove();
  }
}
