import { describe, expect, it } from "vitest";
import { openLedger } from "../../kit/ledger.js";
import { until } from "../../kit/until.js";
import { createScriptedImageEngine } from "../../kit/scripted/image-engine.js";
import { requestImages, startImageServer, imageFilesOf, messageOf, price } from "./image-server.js";

describe("an image generation in the ledger", () => {
  it("is rejected for a team with too few credits, and charged at its price", async () => {
    const imageEngine = createScriptedImageEngine();
    const server = await startImageServer({ imageEngine });
    const books = await openLedger(server.data, "prepaid");
    expect((await requestImages(server, {})).status).toBe(403);
    await books.buy(3 * price - 1);
    expect((await requestImages(server, { n: 3 })).status).toBe(403);
    expect(imageEngine.jobs).toEqual([]);
    const drawn = await requestImages(server, { n: 2 });
    expect([drawn.status, drawn.headers.get("x-hearth-cost-ticks")]).toEqual([200, String(2 * price)]);
    expect(await books.balances()).toMatchObject({
      credit: BigInt(price - 1),
      reserved: 0n,
      revenue: BigInt(2 * price),
    });
    expect(await books.ledger.verify()).toEqual([]);
  });

  it("F5: whose client leaves is charged for the finished images, stores no file and frees its slot", async () => {
    const leaving = new AbortController();
    const imageEngine = createScriptedImageEngine({
      onStep: async (job, step, signal) => {
        if (job.seed !== 2 || step !== 1) return;
        leaving.abort();
        await until(() => signal.aborted);
      },
    });
    const server = await startImageServer({ imageEngine });
    const books = await openLedger(server.data, "prepaid");
    await books.buy(10 * price);
    await expect(requestImages(server, { n: 5, seed: 1 }, { signal: leaving.signal })).rejects.toThrow(
      "aborted",
    );
    await until(() => imageEngine.leases === 0);
    await server.app.close();
    const [run] = await books.runs.list(1);
    expect(run).toMatchObject({ state: "aborted", costTicks: price, usage: { images: 1 } });
    expect(await books.balances()).toMatchObject({ credit: BigInt(9 * price), reserved: 0n });
    expect(await books.ledger.verify()).toEqual([]);
    expect(await imageFilesOf(server)).toEqual([]);
  });

  it("that fails costs nothing and stores nothing", async () => {
    const imageEngine = createScriptedImageEngine({
      onStep: (job) => {
        if (job.seed === 2) throw new Error("it fell off the wall");
      },
    });
    const server = await startImageServer({ imageEngine });
    const books = await openLedger(server.data, "prepaid");
    await books.buy(10 * price);
    const response = await requestImages(server, { n: 3, seed: 1 });
    expect(response.status).toBe(500);
    expect(await messageOf(response)).not.toContain("wall");
    expect(await books.balances()).toMatchObject({ credit: BigInt(10 * price), reserved: 0n, revenue: 0n });
    expect(await books.ledger.verify()).toEqual([]);
    expect(await imageFilesOf(server)).toEqual([]);
  });
});

it("F6: one generation of a model at a time: a team's second one starts when its first has ended", async () => {
  let open = (): void => undefined;
  const gate = new Promise<void>((resolve) => (open = resolve));
  const imageEngine = createScriptedImageEngine({ onStep: () => gate });
  const server = await startImageServer({ imageEngine, environment: { HEARTH_QUEUE_DEPTH_MAX: "1" } });
  const first = requestImages(server, { seed: 1 });
  await until(() => imageEngine.jobs.length === 1);
  const second = requestImages(server, { seed: 2 });
  await until(() => server.app.scheduler.load.waiting === 1);
  expect((await requestImages(server, { seed: 3 })).status).toBe(503);
  expect(imageEngine.jobs).toHaveLength(1);
  open();
  expect([(await first).status, (await second).status]).toEqual([200, 200]);
  expect(imageEngine.jobs.map(({ seed }) => seed)).toEqual([1, 2]);
});
