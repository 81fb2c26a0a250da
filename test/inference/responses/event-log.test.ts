import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EventLog } from "../../../src/inference/responses/event-log.js";
import { eventsAfter } from "../../../src/answers/responses/stored-events.js";
import { createStoredResponses } from "../../../src/inference/responses/stored-responses.js";
import { createResponseStore } from "../../../src/inference/responses/store/responses.js";
import { openDatabase } from "../../../src/store/database.js";
import { join } from "node:path";
import { temporaryFolder } from "../../kit/folder.js";

const staying = (): AbortSignal => new AbortController().signal;

async function read(log: EventLog<number>, from: number, signal = staying()): Promise<readonly number[]> {
  const items: number[] = [];
  for await (const item of log.from(from, signal)) items.push(item);
  return items;
}

describe("an event log", () => {
  it("gives every reader all items from its start index on, however reads and appends interleave", async () => {
    const step = fc.oneof(
      fc.record({ tells: fc.integer({ min: 1, max: 4 }) }),
      fc.record({ readsFrom: fc.nat({ max: 20 }) }),
      fc.constant("turn" as const),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const log = new EventLog<number>();
        const readers: { from: number; items: Promise<readonly number[]> }[] = [];
        for (const each of steps) {
          if (each === "turn") await Promise.resolve();
          else if ("tells" in each)
            log.append(...Array.from({ length: each.tells }, (_, at) => log.length + at));
          else readers.push({ from: each.readsFrom, items: read(log, each.readsFrom) });
        }
        const all = [...log.items()];
        log.end();
        expect(all).toEqual(all.map((_, at) => at));
        for (const { from, items } of readers) expect(await items).toEqual(all.slice(from));
        expect(await read(log, 0)).toEqual(all);
      }),
    );
  });

  it("ignores items that are appended after its end", async () => {
    const log = new EventLog<number>();
    log.append(0);
    log.end();
    log.append(1);
    expect([log.length, await read(log, 0)]).toEqual([1, [0]]);
  });

  it("ends for a reader that aborts, and continues for the others", async () => {
    const log = new EventLog<number>();
    log.append(0);
    const leaving = new AbortController();
    const reading = read(log, 0, leaving.signal);
    const other = read(log, 0);
    await Promise.resolve();
    leaving.abort();
    expect(await reading).toEqual([0]);
    log.append(1);
    log.end();
    expect(await other).toEqual([0, 1]);
    expect(await read(log, 0, AbortSignal.abort())).toEqual([]);
  });
});

describe("the event logs of stored responses", () => {
  it("have ended once all are closed, also those that are opened later", async () => {
    const database = await openDatabase(join(temporaryFolder(), "hearth.db"));
    const { logs } = createStoredResponses({
      eventsAfter,
      others: null,
      responses: createResponseStore(database),
      responsesMax: 1,
      keptMs: 1,
    });
    const before = logs.open("resp_1");
    expect(logs.open("resp_1")).toBe(before);
    before.append({ type: "one" });
    logs.closeAll();
    for (const log of [before, logs.open("resp_1"), logs.open("resp_2")]) {
      log.append({ type: "late" });
      const told: object[] = [];
      for await (const event of log.from(0, staying())) told.push(event);
      expect(told).toEqual(log === before ? [{ type: "one" }] : []);
    }
    expect(logs.find("resp_1")).toBe(null);
    await database.close();
  });
});
