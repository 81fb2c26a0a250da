/** Checks the work of clients once it has ended. */
import { setTimeout as delay } from "node:timers/promises";
import type { Books } from "../checks/books.js";
import { checkCharges } from "../checks/charges.js";
import type { Row } from "../figures/table.js";
import { checkAccepted } from "./accepted.js";
import type { Load } from "./load.js";

const openWork = `select (select count(*) from jobs) as jobs, (select count(*) from runs where state = 'running') as runs,
  (select count(*) from batches where end_time is null) as batches`;

/** Waits until nothing is queued, in flight or running. @returns what is left after the time, in words; null where nothing is */
export async function waitForEnd(books: Books, msMax: number): Promise<string | null> {
  const from = performance.now();
  for (;;) {
    const [row = {}] = await books.rows<Record<string, number | string>>(openWork);
    const left = Object.entries(row).filter(([, count]) => Number(count) > 0);
    if (left.length === 0) return null;
    if (performance.now() - from > msMax) return left.map(([name, count]) => `${count} ${name}`).join(", ");
    await delay(250);
  }
}

/** Checks that everything accepted has ended once, and that charges are what answers say. What does not hold is in the records. */
export async function checkWork(load: Load, books: Books): Promise<readonly Row[]> {
  const { judge, waited, crashes } = load.records;
  await books.checkReservations();
  await books.checkEndedRuns();
  const { rows, jobTicks } = await checkAccepted(load, books);
  return [...rows, ...(await checkCharges(books, { waited, crashes, jobTicks }, judge))];
}
