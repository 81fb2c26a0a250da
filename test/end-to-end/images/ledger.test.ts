import { describe, expect, it } from "vitest";
import { openBooks } from "../../books.js";
import { until } from "../../harness.js";
import { createScriptedPainter } from "../../scripted-painter.js";
import { askDrawing, drawingServer, filesOf, messageOf, price } from "./image-server.js";

describe("a drawing in the books", () => {
  it("is refused to a team that has less than it costs, and charged what it costs", async () => {
    const painter = createScriptedPainter();
    const server = await drawingServer({ painter });
    const books = await openBooks(server.data, "prepaid");
    expect((await askDrawing(server, {})).status).toBe(403);
    await books.buy(3 * price - 1);
    expect((await askDrawing(server, { n: 3 })).status).toBe(403);
    expect(painter.jobs).toEqual([]);
    expect((await askDrawing(server, { n: 2 })).status).toBe(200);
    expect(await books.balances()).toMatchObject({
      credit: BigInt(price - 1),
      reserved: 0n,
      revenue: BigInt(2 * price),
    });
    expect(await books.ledger.verify()).toEqual([]);
  });

  it("F5: whose client leaves is charged for the images that were finished, keeps no file and frees its place", async () => {
    const leaving = new AbortController();
    const painter = createScriptedPainter({
      onStep: async (job, step, signal) => {
        if (job.seed !== 2 || step !== 1) return;
        leaving.abort();
        await until(() => signal.aborted);
      },
    });
    const server = await drawingServer({ painter });
    const books = await openBooks(server.data, "prepaid");
    await books.buy(10 * price);
    await expect(askDrawing(server, { n: 5, seed: 1 }, { signal: leaving.signal })).rejects.toThrow(
      "aborted",
    );
    await until(() => painter.leases === 0);
    await server.app.close();
    const [run] = await books.runs.list(1);
    expect(run).toMatchObject({ state: "aborted", costTicks: price, usage: { images: 1 } });
    expect(await books.balances()).toMatchObject({ credit: BigInt(9 * price), reserved: 0n });
    expect(await books.ledger.verify()).toEqual([]);
    expect(await filesOf(server)).toEqual([]);
  });

  it("that fails half-way costs nothing and keeps nothing", async () => {
    const painter = createScriptedPainter({
      onStep: (job) => {
        if (job.seed === 2) throw new Error("it fell off the wall");
      },
    });
    const server = await drawingServer({ painter });
    const books = await openBooks(server.data, "prepaid");
    await books.buy(10 * price);
    const response = await askDrawing(server, { n: 3, seed: 1 });
    expect(response.status).toBe(500);
    expect(await messageOf(response)).not.toContain("wall");
    expect(await books.balances()).toMatchObject({ credit: BigInt(10 * price), reserved: 0n, revenue: 0n });
    expect(await books.ledger.verify()).toEqual([]);
    expect(await filesOf(server)).toEqual([]);
  });
});

it("F6: one drawing of a model at a time: a team's second one begins when its first has ended", async () => {
  let open = (): void => undefined;
  const gate = new Promise<void>((resolve) => (open = resolve));
  const painter = createScriptedPainter({ onStep: () => gate });
  const server = await drawingServer({ painter, environment: { HEARTH_QUEUE_DEPTH_MAX: "1" } });
  const first = askDrawing(server, { seed: 1 });
  await until(() => painter.jobs.length === 1);
  const second = askDrawing(server, { seed: 2 });
  await until(() => server.app.scheduler.load.waiting === 1);
  expect((await askDrawing(server, { seed: 3 })).status).toBe(503);
  expect(painter.jobs).toHaveLength(1);
  open();
  expect([(await first).status, (await second).status]).toEqual([200, 200]);
  expect(painter.jobs.map(({ seed }) => seed)).toEqual([1, 2]);
});
