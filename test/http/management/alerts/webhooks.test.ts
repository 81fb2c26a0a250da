import { readFileSync } from "node:fs";
import { describe, expect, it, vi } from "vitest";
import { root } from "../../../kit/folder.js";
import { addWebhook, minuteMs, served, settled } from "./alerting.js";
import { eventually, startReceiver } from "../../../kit/doubles/alert-receivers.js";

describe("a webhook", () => {
  it("is signed so that the code of the guide verifies it, and nothing else passes", async () => {
    const { receiver, server } = await served();
    const { channelId, secret } = await addWebhook(server, receiver);
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    await server.request("POST", `/admin/alerts/channels/${channelId}/test`);
    await eventually(() => receiver.received.length === 1);
    const [test] = receiver.received;
    if (test === undefined) throw new Error("nothing was received");
    expect(test.message).toMatchObject({ type: "alert.test", data: { kind: "test" } });
    const guide = readFileSync(`${root}/src/docs/alerts.md`, "utf8");
    const [, code = ""] = /```js\n([\s\S]*?)```/.exec(guide) ?? [];
    const module = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as {
      isAuthentic(headers: object, body: string, secret: string): boolean;
    };
    vi.useFakeTimers({ now: server.clock.now(), toFake: ["Date"] });
    const verified = (headers: object, body = test.body, key = secret) =>
      module.isAuthentic(headers, body, key);
    expect(verified(test.headers)).toBe(true);
    expect(verified(test.headers, `${test.body} `)).toBe(false);
    expect(verified({ ...test.headers, "webhook-id": "msg_other" })).toBe(false);
    expect(verified(test.headers, test.body, `whsec_${Buffer.alloc(32).toString("base64")}`)).toBe(false);
    vi.setSystemTime(server.clock.now() + 301_000);
    expect(verified(test.headers)).toBe(false);
    vi.useRealTimers();
  });

  it("that is not accepted is sent again with the same id and growing pauses, and is dead after a day", async () => {
    const { receiver, server } = await served();
    receiver.answer(500);
    const { channelId } = await addWebhook(server, receiver);
    await server.request("POST", `/admin/alerts/channels/${channelId}/test`);
    const state = async () => {
      const { body } = await server.request("GET", "/admin/alerts/deliveries");
      return (body as { deliveries: readonly Record<string, unknown>[] }).deliveries[0];
    };
    const pauses = [5, 30, 120, 600, 1800, 3600, 7200, ...Array<number>(5).fill(14_400)];
    for (const [at, seconds] of pauses.entries()) {
      await eventually(async () => (await state())?.["attempts"] === at + 1);
      expect(receiver.received).toHaveLength(at + 1);
      expect(await state()).toMatchObject({
        state: "queued",
        error: "the receiver answered with the status 500",
      });
      server.clock.jump(seconds * 1000 - 1);
      await settled(server);
      expect(receiver.received).toHaveLength(at + 1);
      server.clock.advance(minuteMs);
    }
    await eventually(async () => (await state())?.["state"] === "dead");
    expect(new Set(receiver.received.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
    const times = receiver.received.map(({ headers }) => Number(headers["webhook-timestamp"]));
    expect(new Set(times).size).toBe(times.length);
  });

  it("is not followed elsewhere", async () => {
    const elsewhere = await startReceiver();
    const redirecting = await startReceiver(elsewhere.url);
    redirecting.answer(307);
    const { server } = await served({}, {}, [redirecting, elsewhere]);
    const { channelId } = await addWebhook(server, redirecting);
    await server.request("POST", `/admin/alerts/channels/${channelId}/test`);
    await eventually(() => redirecting.received.length === 1);
    await settled(server);
    expect(elsewhere.received).toEqual([]);
  });

  it.each([
    ["http://example.com/hook", "must be an https URL; plain http is for hosts in the setting alertHosts"],
    ["https://user:secret@example.com/", "must not have a user name or a password"],
    ["ftp://example.com/", "must be an https URL"],
    ["hook", "must be an https URL"],
  ])("to %s is refused by name: %s", async (target, reason) => {
    const { server } = await served();
    const { status, body } = await server.request("POST", "/admin/alerts/channels", {
      kind: "webhook",
      target,
    });
    expect([status, (body as { message: string }).message]).toEqual([400, `target ${reason}.`]);
  });

  it.each(["https://127.0.0.1/", "https://[::1]/", "https://169.254.169.254/latest", "https://localhost/"])(
    "never reaches %s, which is not public and no setting names",
    async (target) => {
      const { server } = await served();
      const { channelId } = await addWebhook(server, { url: target });
      await server.request("POST", `/admin/alerts/channels/${channelId}/test`);
      await eventually(async () => {
        const { body } = await server.request("GET", "/admin/alerts/deliveries");
        const [sent] = (body as { deliveries: readonly { error?: string }[] }).deliveries;
        return sent?.error?.includes("has no address or one that is not public") === true;
      });
    },
  );
});

describe("channels", () => {
  it("are those of the manager's team, and changes of them are audited without secrets", async () => {
    const { receiver, server, side } = await served();
    const { channelId } = await addWebhook(server, receiver);
    const manager = await server.createManagementKey({ teamId: side.teamId });
    const list = async (credential?: string) =>
      (await server.request("GET", "/admin/alerts/channels", undefined, credential)).body as {
        channels: readonly { channelId: string; secret?: string }[];
      };
    expect(await list(manager)).toEqual({ channels: [] });
    const own = await server.request(
      "POST",
      "/admin/alerts/channels",
      { kind: "webhook", target: `${receiver.url}?token=abc` },
      manager,
    );
    expect(own.body).toMatchObject({ teamId: side.teamId });
    expect((await list()).channels).toHaveLength(2);
    expect(JSON.stringify(await list())).not.toContain("whsec_");
    const gone = await server.request("DELETE", `/admin/alerts/channels/${channelId}`, undefined, manager);
    expect(gone.status).toBe(404);
    expect((await server.request("DELETE", `/admin/alerts/channels/${channelId}`)).status).toBe(200);
    const events = await server.database.kysely.selectFrom("auditEvents").selectAll().execute();
    const ofChannels = events.filter(({ act }) => act.endsWith("AlertChannel"));
    expect(ofChannels.map(({ act, teamId }) => [act, teamId])).toEqual([
      ["CreateAlertChannel", null],
      ["CreateAlertChannel", side.teamId],
      ["DeleteAlertChannel", null],
    ]);
    expect(JSON.stringify(ofChannels)).not.toMatch(/whsec_|token=abc/);
  });

  it("have a bound, and no address twice", async () => {
    const { receiver, server } = await served();
    await addWebhook(server, receiver);
    const add = (target: string) =>
      server.request("POST", "/admin/alerts/channels", { kind: "webhook", target });
    expect((await add(receiver.url)).body).toMatchObject({ message: "target has a channel already." });
    for (let at = 1; at < 20; at += 1) expect((await add(`${receiver.url}/${at}`)).status).toBe(200);
    expect((await add(`${receiver.url}/20`)).body).toMatchObject({
      message: "target exceeds the number of channels, 20.",
    });
  });
});
