/** What must hold when all rounds are over. */
import { scratchFolder } from "../../world/processes.js";
import { runLedgerVerify } from "../../checks/ledger-verify.js";
import type { Row } from "../../figures/table.js";
import { checkWork, waitForEnd } from "../../clients/check-work.js";
import { keepReport } from "./report.js";
import type { ChaosScene } from "../scene.js";
import { checkLimits } from "../limited-keys.js";
import type { ChaosWorld } from "../world.js";

export interface ChaosVerdict {
  readonly rows: readonly Row[];
}

const drainMsMax = 180_000;

/** Adds to the records what does not hold. */
export async function checkAll(scene: ChaosScene): Promise<ChaosVerdict> {
  const { records, servers, world, books, load } = scene;
  const { judge } = records;
  const left = await waitForEnd(books, drainMsMax);
  judge(left === null, "all work ends", () => `${left} after ${drainMsMax / 1000} s`);
  if (left !== null) await keepReport(scene, "not-ended");
  const said = await verifyBooks(world);
  judge(said === null, "the books balance", () => `hearth ledger verify: ${said}`);
  checkLimits(records, servers.length);
  return { rows: await checkWork(load, books) };
}

async function verifyBooks({ environment, databaseUrl }: ChaosWorld): Promise<string | null> {
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
