import type { Script } from "../../../kit/scripted/engine.js";
import { describe, expect, it } from "vitest";
import { HearthError } from "../../../../src/core/errors.js";
import { type ScriptedServer, startServer } from "../../../kit/server.js";
import { hello } from "../../../kit/server/requests.js";
import { keys } from "../../../kit/server/six-keys.js";
import { gate } from "../../../kit/until.js";
import { fetchDeferred, waitForOutcome, createDeferred } from "../../../kit/clients/deferred.js";

const dayMs = 24 * 60 * 60 * 1000;
const unknown = "0193a1c2-5d7e-7c40-9b1f-ffffffffffff";

/** Status, relevant headers and body, without the requested id. */
async function readOutcome(response: Response, id: string) {
  const body = (await response.text()).replaceAll(id, "ID");
  return { status: response.status, type: response.headers.get("content-type"), body };
}

/** Defers a request and waits until its outcome is stored. */
async function ended(server: ScriptedServer, body: object = hello): Promise<string> {
  const running = server.nextRun();
  const id = await createDeferred(server, body);
  await (
    await running
  ).finished;
  return id;
}

describe("an answer that many clients fetch at once", () => {
  it("is returned to exactly one of 50 clients, and is unknown to the others", async () => {
    const wait = [gate(), gate(), gate(), gate()];
    let runs = 0;
    const server = await startServer({
      engine: () => ["Good", wait[runs++]?.opened ?? Promise.resolve(), " day."],
    });
    for (const each of wait) {
      const running = server.nextRun();
      const id = await createDeferred(server);
      const run = await running;
      const readers = Array.from({ length: 50 }, () => waitForOutcome(server, id));
      // Some clients fetch while it runs, the others after its end.
      await fetchDeferred(server, id);
      each.open();
      await run.finished;
      const answers = await Promise.all(
        (await Promise.all(readers)).map((response) => readOutcome(response, id)),
      );
      const [given, refused] = [200, 404].map((status) =>
        answers.filter((answer) => answer.status === status),
      );
      expect([given?.length, refused?.length]).toEqual([1, 49]);
      expect(given?.[0]?.body).toContain("Good day.");
      const nowhere = await readOutcome(await fetchDeferred(server, unknown), unknown);
      for (const answer of refused ?? []) expect(answer).toEqual(nowhere);
    }
  });
});

describe("E13: a deferred completion of another team", () => {
  it.each(["pending", "done", "failed"] as const)(
    "is answered like an id that never was while it is %s, and stays for its own team",
    async (state) => {
      const wait = gate();
      const server = await startServer({
        engine: () => [
          "Good",
          ...(state === "pending" ? [wait.opened] : []),
          ...(state === "failed" ? [new HearthError("invalid_output", "It is not what was asked for.")] : []),
        ],
      });
      const running = server.nextRun();
      const id = await createDeferred(server);
      const run = await running;
      if (state !== "pending") await run.finished;
      const nowhere = await readOutcome(await fetchDeferred(server, unknown, keys.mallory), unknown);
      expect(nowhere.status).toBe(404);
      for (let look = 0; look < 3; look++)
        expect(await readOutcome(await fetchDeferred(server, id, keys.mallory), id)).toEqual(nowhere);
      wait.open();
      await run.finished;
      const own = await fetchDeferred(server, id);
      expect(own.status).toBe(state === "failed" ? 500 : 200);
      // A fetched id and an unknown id get the same error, too.
      expect(await readOutcome(await fetchDeferred(server, unknown), unknown)).toEqual(nowhere);
      if (state !== "failed") expect(await readOutcome(await fetchDeferred(server, id), id)).toEqual(nowhere);
    },
  );
});

describe("a deferred completion that fails", () => {
  it.each<[string, Script, object, object]>([
    [
      "because its conversation is too long",
      () => [],
      { ...hello, messages: [{ role: "user", content: "word ".repeat(400) }] },
      { status: 400, code: "context_length_exceeded", param: "messages" },
    ],
    [
      "because the answer is not what was asked for",
      () => [new HearthError("invalid_output", "It is not what was asked for.")],
      hello,
      { status: 500, code: "invalid_output", param: null },
    ],
    [
      "because its model was lost",
      () => [new HearthError("model_unavailable", "The model cannot be loaded.", { param: "model" })],
      hello,
      { status: 503, code: "model_unavailable", param: "model" },
    ],
    [
      "because of the server",
      () => ["Good", new Error("secret of the house")],
      hello,
      { status: 500, code: "internal_error", param: null },
    ],
  ])(
    "%s reports the error of the direct request, as often as it is fetched",
    async (_case, script, body, why) => {
      const server = await startServer({ engine: script });
      const id = await ended(server, body);
      for (let look = 0; look < 3; look++) {
        const response = await fetchDeferred(server, id);
        const { error } = (await response.json()) as { error: { code: string; param: string | null } };
        expect({ status: response.status, code: error.code, param: error.param }).toEqual(why);
        expect(JSON.stringify(error)).not.toContain("secret");
      }
      const direct = await fetch(`${server.url}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${keys.ada}`, "content-type": "application/json" },
        body: JSON.stringify(body),
      });
      expect(await readOutcome(await fetchDeferred(server, id), id)).toEqual(await readOutcome(direct, id));
    },
  );

  it("M3: costs nothing where the server has failed", async () => {
    const server = await startServer({ engine: () => ["Good", " day", new Error("lost")] });
    const id = await ended(server);
    await waitForOutcome(server, id);
    expect(await server.records()).toMatchObject([
      { requestId: id, state: "failed", costTicks: 0, usage: { promptTokens: 0, completionTokens: 0 } },
    ]);
  });
});

describe("24 hours after it finished", () => {
  it.each([
    ["an answer", () => ["Good day."], 200],
    ["a failure", () => [new Error("lost")], 500],
  ] as const)(
    "%s can be fetched to the last millisecond, and then no more",
    async (_case, script, status) => {
      const wait = gate();
      const server = await startServer({ engine: () => [wait.opened, ...script()] });
      const running = [server.nextRun()];
      const ids = [await createDeferred(server)];
      await running[0];
      running.push(server.nextRun());
      ids.push(await createDeferred(server));
      await running[1];
      // The time in the queue does not count.
      server.clock.jump(2 * dayMs);
      wait.open();
      for (const run of running) await (await run).finished;
      const [first = "", second = ""] = ids;
      server.clock.jump(dayMs - 1);
      expect((await fetchDeferred(server, first)).status).toBe(status);
      server.clock.advance(1);
      const nowhere = await readOutcome(await fetchDeferred(server, unknown), unknown);
      expect(await readOutcome(await fetchDeferred(server, second), second)).toEqual(nowhere);
      expect(nowhere.status).toBe(404);
    },
  );

  it("a completion that has not finished does not expire", async () => {
    const wait = gate();
    const server = await startServer({ engine: () => [wait.opened, "Good day."] });
    const running = server.nextRun();
    const id = await createDeferred(server);
    const run = await running;
    server.clock.jump(3 * dayMs);
    expect((await fetchDeferred(server, id)).status).toBe(202);
    wait.open();
    await run.finished;
    expect((await fetchDeferred(server, id)).status).toBe(200);
  });
});
