/** What must hold when all rounds are over. */
import { execFile } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { scratchFolder } from "../../world/processes.js";
import type { Row } from "../../world/table.js";
import { checkAccepted } from "./accepted.js";
import { checkCharges } from "./charges.js";
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
  const { records, servers, world } = scene;
  await drain(scene);
  const books = await verifyBooks(world);
  if (books !== null) records.broken.push(`hearth ledger verify: ${books}`);
  checkLimits(records, servers.length);
  const accepted = await checkAccepted(scene);
  const charges = await checkCharges(scene, accepted.ticks);
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

const program = fileURLToPath(new URL("../../../../dist/main.js", import.meta.url));

/** Returns what `hearth ledger verify` prints when the books do not balance; null when they do. */
async function verifyBooks({ environment, databaseUrl }: World): Promise<string | null> {
  const folder = scratchFolder();
  const env = { ...environment, HEARTH_DATA: folder.path, HEARTH_DATABASE_URL: databaseUrl };
  try {
    await promisify(execFile)(process.execPath, [program, "ledger", "verify"], { env });
    return null;
  } catch (thrown) {
    const { stdout = "", stderr = "" } = thrown as { stdout?: string; stderr?: string };
    return `${stdout}${stderr}`.trim();
  } finally {
    folder.remove();
  }
}
