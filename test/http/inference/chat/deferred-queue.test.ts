import { describe, expect, it } from "vitest";
import { startServer } from "../../../kit/server.js";
import { hello, post } from "../../../kit/server/requests.js";
import { gate, until } from "../../../kit/until.js";
import {
  fetchDeferred,
  waitForOutcome,
  postDeferred,
  createDeferred,
} from "../../../kit/clients/deferred.js";

const saying = (content: string) => ({ ...hello, messages: [{ role: "user", content }] });

describe("deferred work", () => {
  it("waits behind interactive work that arrived later", async () => {
    const wait = gate();
    const order: string[] = [];
    const script = (prompt: string) => {
      order.push(/first|now|later/.exec(prompt)?.[0] ?? "");
      return [wait.opened, "Good day."];
    };
    const server = await startServer({ engine: script, slots: 1 });
    const first = post(server, saying("first"));
    await until(() => server.engine.active === 1);
    const deferred = [
      await createDeferred(server, saying("later")),
      await createDeferred(server, saying("later")),
    ];
    await until(() => server.scheduler.load.waiting === 2);
    const interactive = [post(server, saying("now")), post(server, saying("now"))];
    await until(() => server.scheduler.load.waiting === 4);
    wait.open();
    for (const response of [first, ...interactive]) expect((await response).status).toBe(200);
    for (const id of deferred) expect((await waitForOutcome(server, id)).status).toBe(200);
    expect(order).toEqual(["first", "now", "now", "later", "later"]);
  });

  it("returns to the queue while the scheduler is full, and runs when it has room", async () => {
    const wait = gate();
    const server = await startServer({
      engine: () => [wait.opened, "Good day."],
      slots: 1,
      config: { queueDepthMax: 0 },
    });
    const interactive = post(server, hello);
    await until(() => server.engine.active === 1);
    const id = await createDeferred(server);
    for (let refusal = 0; refusal < 5; refusal++) {
      await server.clock.whenWaiting(1000);
      expect((await fetchDeferred(server, id)).status).toBe(202);
      const begun = server.nextRun();
      server.clock.advance(1000);
      await (
        await begun
      ).finished;
    }
    expect((await post(server, hello)).status).toBe(503);
    await server.clock.whenWaiting(1000);
    wait.open();
    expect((await interactive).status).toBe(200);
    expect((await fetchDeferred(server, id)).status).toBe(202);
    server.clock.advance(1000);
    expect((await waitForOutcome(server, id)).status).toBe(200);
    const rows = (await server.records()).filter(({ requestId }) => requestId === id);
    expect(rows).toMatchObject([{ state: "completed" }]);
  });

  it("runs at most jobsActiveMax jobs at a time, in the order of arrival", async () => {
    const waits = Array.from({ length: 6 }, gate);
    const order: string[] = [];
    let [inHand, most] = [0, 0];
    const server = await startServer({
      engine: function* (prompt) {
        order.push(/\d/.exec(prompt)?.[0] ?? "");
        most = Math.max(most, ++inHand);
        yield waits[order.length - 1]?.opened ?? "";
        inHand -= 1;
        yield "Good day.";
      },
      slots: 8,
      config: { jobsActiveMax: 2 },
    });
    const ids: string[] = [];
    for (const index of waits.keys()) ids.push(await createDeferred(server, saying(`number ${index}`)));
    for (const [index, wait] of waits.entries()) {
      await until(() => order.length > index);
      wait.open();
      expect((await waitForOutcome(server, ids[index] ?? "")).status).toBe(200);
    }
    expect(order).toEqual(["0", "1", "2", "3", "4", "5"]);
    expect(most).toBe(2);
  });

  it("continues next to a job that takes long", async () => {
    const wait = gate();
    const script = (prompt: string) => (prompt.includes("wait") ? [wait.opened, "Late."] : ["Good day."]);
    const server = await startServer({ engine: script, slots: 4, config: { jobsActiveMax: 2 } });
    const slow = await createDeferred(server, saying("wait"));
    for (let round = 0; round < 5; round++)
      expect((await waitForOutcome(server, await createDeferred(server))).status).toBe(200);
    expect((await fetchDeferred(server, slow)).status).toBe(202);
    wait.open();
    expect((await waitForOutcome(server, slow)).status).toBe(200);
  });
});

describe("a full queue", () => {
  it("accepts exactly as many concurrent jobs as it has room for, and refuses the rest with retry-after", async () => {
    const wait = gate();
    const server = await startServer({
      engine: () => [wait.opened, "Good day."],
      config: { jobsQueuedMax: 3, jobsActiveMax: 1 },
    });
    const responses = await Promise.all(Array.from({ length: 20 }, () => postDeferred(server)));
    const [taken, refused] = [200, 503].map((status) =>
      responses.filter((response) => response.status === status),
    );
    expect([taken?.length, refused?.length]).toEqual([3, 17]);
    for (const response of refused ?? []) {
      expect(response.headers.get("retry-after")).toBe("30");
      expect(await response.json()).toHaveProperty("error.code", "overloaded");
    }
    wait.open();
    for (const response of taken ?? []) {
      const { request_id: id } = (await response.json()) as { request_id: string };
      expect((await waitForOutcome(server, id)).status).toBe(200);
    }
    // A finished job frees its place; a refused request leaves nothing.
    for (let round = 0; round < 3; round++) await waitForOutcome(server, await createDeferred(server));
    expect(server.engine.jobs).toHaveLength(6);
  });

  it("does not affect interactive work", async () => {
    const server = await startServer({ engine: () => ["Good day."], config: { jobsQueuedMax: 0 } });
    expect((await postDeferred(server)).status).toBe(503);
    expect((await post(server, hello)).status).toBe(200);
  });
});
