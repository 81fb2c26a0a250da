import { describe, expect, it } from "vitest";
import { until } from "../../../harness.js";
import { compose, gate, hello, post } from "../../compose.js";
import { fetchDeferred, outcomeOf, putOff, putOffId } from "./deferred.js";

const saying = (content: string) => ({ ...hello, messages: [{ role: "user", content }] });

describe("deferred work", () => {
  it("waits behind interactive work that came later", async () => {
    const wait = gate();
    const order: string[] = [];
    const script = (prompt: string) => {
      order.push(/first|now|later/.exec(prompt)?.[0] ?? "");
      return [wait.opened, "Good day."];
    };
    const server = await compose(script, { slots: 1 });
    const first = post(server, saying("first"));
    await until(() => server.engine.active === 1);
    const deferred = [await putOffId(server, saying("later")), await putOffId(server, saying("later"))];
    await until(() => server.scheduler.load.waiting === 2);
    const interactive = [post(server, saying("now")), post(server, saying("now"))];
    await until(() => server.scheduler.load.waiting === 4);
    wait.open();
    for (const response of [first, ...interactive]) expect((await response).status).toBe(200);
    for (const id of deferred) expect((await outcomeOf(server, id)).status).toBe(200);
    expect(order).toEqual(["first", "now", "now", "later", "later"]);
  });

  it("is put back when the queue is full, however often, and done when there is room", async () => {
    const wait = gate();
    const server = await compose(() => [wait.opened, "Good day."], { slots: 1, queueDepthMax: 0 });
    const interactive = post(server, hello);
    await until(() => server.engine.active === 1);
    const id = await putOffId(server);
    for (let refusal = 0; refusal < 5; refusal++) {
      await server.clock.whenWaiting(1000);
      expect((await fetchDeferred(server, id)).status).toBe(202);
      const begun = server.nextRun();
      server.clock.advance(1000);
      await (
        await begun
      ).settled;
    }
    expect((await post(server, hello)).status).toBe(503);
    await server.clock.whenWaiting(1000);
    wait.open();
    expect((await interactive).status).toBe(200);
    expect((await fetchDeferred(server, id)).status).toBe(202);
    server.clock.advance(1000);
    expect((await outcomeOf(server, id)).status).toBe(200);
    const rows = server.records.filter(({ requestId }) => requestId === id);
    expect(rows).toMatchObject([{ state: "completed" }]);
  });

  it("has no more in hand at a time than jobsActiveMax, and is done in the order it came", async () => {
    const waits = Array.from({ length: 6 }, gate);
    const order: string[] = [];
    let [inHand, most] = [0, 0];
    const server = await compose(
      function* (prompt) {
        order.push(/\d/.exec(prompt)?.[0] ?? "");
        most = Math.max(most, ++inHand);
        yield waits[order.length - 1]?.opened ?? "";
        inHand -= 1;
        yield "Good day.";
      },
      { slots: 8, jobs: { jobsActiveMax: 2 } },
    );
    const ids: string[] = [];
    for (const index of waits.keys()) ids.push(await putOffId(server, saying(`number ${index}`)));
    for (const [index, wait] of waits.entries()) {
      await until(() => order.length > index);
      wait.open();
      expect((await outcomeOf(server, ids[index] ?? "")).status).toBe(200);
    }
    expect(order).toEqual(["0", "1", "2", "3", "4", "5"]);
    expect(most).toBe(2);
  });

  it("goes on beside a job that takes long", async () => {
    const wait = gate();
    const script = (prompt: string) => (prompt.includes("wait") ? [wait.opened, "Late."] : ["Good day."]);
    const server = await compose(script, { slots: 4, jobs: { jobsActiveMax: 2 } });
    const slow = await putOffId(server, saying("wait"));
    for (let round = 0; round < 5; round++)
      expect((await outcomeOf(server, await putOffId(server))).status).toBe(200);
    expect((await fetchDeferred(server, slow)).status).toBe(202);
    wait.open();
    expect((await outcomeOf(server, slow)).status).toBe(200);
  });
});

describe("a queue that is full", () => {
  it("takes exactly what it has room for when many come at once, and refuses the rest with retry-after", async () => {
    const wait = gate();
    const server = await compose(() => [wait.opened, "Good day."], {
      jobs: { jobsQueuedMax: 3, jobsActiveMax: 1 },
    });
    const responses = await Promise.all(Array.from({ length: 20 }, () => putOff(server)));
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
      expect((await outcomeOf(server, id)).status).toBe(200);
    }
    // What has been done gives its place free; what was refused has left nothing.
    for (let round = 0; round < 3; round++) await outcomeOf(server, await putOffId(server));
    expect(server.engine.jobs).toHaveLength(6);
  });

  it("leaves interactive work alone", async () => {
    const server = await compose(() => ["Good day."], { jobs: { jobsQueuedMax: 0 } });
    expect((await putOff(server)).status).toBe(503);
    expect((await post(server, hello)).status).toBe(200);
  });
});
