import { describe, expect, it } from "vitest";
import { HearthError } from "../../../../src/core/errors.js";
import { compose, gate, hello, keys, type TestServer } from "../../compose.js";
import { fetchDeferred, outcomeOf, putOffId } from "./deferred.js";

const dayMs = 24 * 60 * 60 * 1000;
const unknown = "0193a1c2-5d7e-7c40-9b1f-ffffffffffff";

/** Status, headers that say something, and body, the asked-for id left out. */
async function told(response: Response, id: string) {
  const body = (await response.text()).replaceAll(id, "ID");
  return { status: response.status, type: response.headers.get("content-type"), body };
}

/** Puts a request off and waits until its outcome is written. */
async function ended(server: TestServer, body: object = hello): Promise<string> {
  const running = server.nextRun();
  const id = await putOffId(server, body);
  await (
    await running
  ).settled;
  return id;
}

describe("an answer that many ask for at once", () => {
  it("is given to exactly one of 50 readers, and is as unknown to all others as any id", async () => {
    const wait = [gate(), gate(), gate(), gate()];
    let asked = 0;
    const server = await compose(() => ["Good", wait[asked++]?.opened ?? Promise.resolve(), " day."]);
    for (const each of wait) {
      const running = server.nextRun();
      const id = await putOffId(server);
      const run = await running;
      const readers = Array.from({ length: 50 }, () => outcomeOf(server, id));
      // Some of them ask while it is made, the others come to a made one.
      await fetchDeferred(server, id);
      each.open();
      await run.settled;
      const answers = await Promise.all((await Promise.all(readers)).map((response) => told(response, id)));
      const [given, refused] = [200, 404].map((status) =>
        answers.filter((answer) => answer.status === status),
      );
      expect([given?.length, refused?.length]).toEqual([1, 49]);
      expect(given?.[0]?.body).toContain("Good day.");
      const nowhere = await told(await fetchDeferred(server, unknown), unknown);
      for (const answer of refused ?? []) expect(answer).toEqual(nowhere);
    }
  });
});

describe("E13: a deferred completion of another team", () => {
  it.each(["pending", "done", "failed"] as const)(
    "is answered like an id that never was while it is %s, and stays for its own team",
    async (state) => {
      const wait = gate();
      const server = await compose(() => [
        "Good",
        ...(state === "pending" ? [wait.opened] : []),
        ...(state === "failed" ? [new HearthError("invalid_output", "It is not what was asked for.")] : []),
      ]);
      const running = server.nextRun();
      const id = await putOffId(server);
      const run = await running;
      if (state !== "pending") await run.settled;
      const nowhere = await told(await fetchDeferred(server, unknown, keys.mallory), unknown);
      expect(nowhere.status).toBe(404);
      for (let look = 0; look < 3; look++)
        expect(await told(await fetchDeferred(server, id, keys.mallory), id)).toEqual(nowhere);
      wait.open();
      await run.settled;
      const own = await fetchDeferred(server, id);
      expect(own.status).toBe(state === "failed" ? 500 : 200);
      // What was fetched, or never there, is told in the same words too.
      expect(await told(await fetchDeferred(server, unknown), unknown)).toEqual(nowhere);
      if (state !== "failed") expect(await told(await fetchDeferred(server, id), id)).toEqual(nowhere);
    },
  );
});

describe("a deferred completion that fails", () => {
  it.each<[string, Parameters<typeof compose>[0], object, object]>([
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
  ])("%s tells why as the direct request does, as often as it is asked", async (_case, script, body, why) => {
    const server = await compose(script);
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
    expect(await told(await fetchDeferred(server, id), id)).toEqual(await told(direct, id));
  });

  it("charges what it came to, once", async () => {
    const server = await compose(() => ["Good", " day", new Error("lost")]);
    const id = await ended(server);
    await outcomeOf(server, id);
    expect(server.records).toMatchObject([
      { requestId: id, state: "failed", usage: { completionTokens: 2 } },
    ]);
  });
});

describe("24 hours after it was made", () => {
  it.each([
    ["an answer", () => ["Good day."], 200],
    ["a failure", () => [new Error("lost")], 500],
  ] as const)(
    "%s can be fetched to the last millisecond, and then no more",
    async (_case, script, status) => {
      const wait = gate();
      const server = await compose(() => [wait.opened, ...script()]);
      const running = [server.nextRun()];
      const ids = [await putOffId(server)];
      await running[0];
      running.push(server.nextRun());
      ids.push(await putOffId(server));
      await running[1];
      // The hours that it waits to be made do not count.
      server.clock.advance(2 * dayMs);
      wait.open();
      for (const run of running) await (await run).settled;
      const [first = "", second = ""] = ids;
      server.clock.advance(dayMs - 1);
      expect((await fetchDeferred(server, first)).status).toBe(status);
      server.clock.advance(1);
      const nowhere = await told(await fetchDeferred(server, unknown), unknown);
      expect(await told(await fetchDeferred(server, second), second)).toEqual(nowhere);
      expect(nowhere.status).toBe(404);
    },
  );

  it("nothing is over for one that is still to be made", async () => {
    const wait = gate();
    const server = await compose(() => [wait.opened, "Good day."]);
    const running = server.nextRun();
    const id = await putOffId(server);
    const run = await running;
    server.clock.advance(3 * dayMs);
    expect((await fetchDeferred(server, id)).status).toBe(202);
    wait.open();
    await run.settled;
    expect((await fetchDeferred(server, id)).status).toBe(200);
  });
});
