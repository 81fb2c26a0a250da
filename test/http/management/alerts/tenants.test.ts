/** What those who manage one team can make the server send, and where. */
import { describe, expect, it } from "vitest";
import type { ManagedServer } from "../../../kit/server.js";
import { addWebhook, hourMs, served } from "./alerting.js";
import { eventually, startMailServer } from "../../../kit/doubles/alert-receivers.js";

type Deliveries = { readonly deliveries: readonly { readonly state: string; readonly error?: string }[] };

async function tenant(environment: Readonly<Record<string, string>> = {}) {
  const { server, receiver, side } = await served({}, environment);
  const manager = await server.createManagementKey({ teamId: side.teamId });
  const add = (target: string, kind = "webhook") =>
    server.request("POST", "/admin/alerts/channels", { kind, target }, manager);
  const test = (id: string, credential: string | undefined = manager) =>
    server.request("POST", `/admin/alerts/channels/${id}/test`, undefined, credential);
  return { server, receiver, side, manager, add, test };
}

const idOf = ({ body }: { readonly body: unknown }): string => (body as { channelId: string }).channelId;

/** Returns the newest delivery once it was attempted. */
async function attempted(server: ManagedServer, manager?: string) {
  const newest = async () =>
    ((await server.request("GET", "/admin/alerts/deliveries", undefined, manager)).body as Deliveries)
      .deliveries[0];
  await eventually(async () => {
    const found = await newest();
    return found !== undefined && (found.state !== "queued" || found.error !== undefined);
  });
  return newest();
}

describe("E30: a channel of a team", () => {
  it("reaches a private host below the path that the operator lists, and at no other path", async () => {
    const { receiver, add, test } = await tenant();
    const base = `http://${receiver.host}`;
    for (const [at, path] of ["/hook", "/hook/deeper", "/hook?token=abc"].entries()) {
      await test(idOf(await add(base + path)));
      await eventually(() => receiver.received.length === at + 1);
    }
    const received = receiver.received.length;
    for (const path of [
      "/",
      "/admin",
      "/hooks",
      "/hook/../admin",
      "/hook/%2e%2e/admin",
      "/hook/..%2fadmin",
      "/hook%2f..",
      "//hook",
    ])
      expect((await add(base + path)).status, path).toBe(400);
    expect(receiver.received).toHaveLength(received);
  });

  it("is shown one sentence for a name that does not exist, an address that is private, and a connection that fails", async () => {
    const { server, side, manager, test } = await tenant();
    const errors = new Set<string | undefined>();
    for (const target of [
      "https://does-not-exist.invalid/",
      "https://localhost:1/",
      "https://127.0.0.1:1/",
      "https://169.254.169.254/latest",
      `https://[::1]/`,
    ]) {
      const id = idOf(
        await server.request("POST", "/admin/alerts/channels", {
          kind: "webhook",
          target,
          teamId: side.teamId,
        }),
      );
      await test(id);
      errors.add((await attempted(server, manager))?.error);
      await server.request("DELETE", `/admin/alerts/channels/${id}`);
    }
    expect([...errors]).toEqual(["the receiver could not be reached at a public address"]);
  });

  it("does not tell by its refusal which hosts the operator lists", async () => {
    const { receiver, add } = await tenant();
    const messages = new Set<unknown>();
    for (const target of [
      `http://${receiver.host}/other`,
      "http://127.0.0.1:9/",
      "http://alerts.internal/",
      "http://example.com/",
    ])
      messages.add((await add(target)).body);
    expect(messages.size).toBeGreaterThan(0);
    expect(new Set([...messages].map((body) => JSON.stringify(body))).size).toBe(1);
  });

  it("has a bounded number of tests, which removing and adding channels does not begin again; the server has none", async () => {
    const { server, receiver, add, test } = await tenant();
    const statuses: number[] = [];
    for (let at = 0; at < 21; at += 1) {
      const id = idOf(await add(`http://${receiver.host}/hook/${at}`));
      statuses.push((await test(id)).status);
      await server.request("DELETE", `/admin/alerts/channels/${id}`);
    }
    expect(statuses).toEqual([...Array<number>(20).fill(200), 429]);
    const { channelId } = await addWebhook(server, receiver);
    expect((await test(channelId, undefined)).status).toBe(404);
    expect((await server.request("POST", `/admin/alerts/channels/${channelId}/test`)).status).toBe(200);
    server.clock.jump(hourMs + 1);
    const id = idOf(await add(`http://${receiver.host}/hook/later`));
    expect((await test(id)).status).toBe(200);
  });

  it("has a bounded number of additions in a day", async () => {
    const { server, receiver, manager, add } = await tenant();
    const statuses = new Map<number, number>();
    for (let at = 0; at < 41; at += 1) {
      const added = await add(`http://${receiver.host}/hook/${at}`);
      statuses.set(added.status, (statuses.get(added.status) ?? 0) + 1);
      if (added.status === 200)
        await server.request("DELETE", `/admin/alerts/channels/${idOf(added)}`, undefined, manager);
    }
    expect([...statuses]).toEqual([
      [200, 40],
      [429, 1],
    ]);
  });

  it("sends e-mail to members of the team only, and a hundred of them in a day", async () => {
    const mail = await startMailServer({ disabledCommands: ["STARTTLS"] });
    const { server, side, manager, add, test } = await tenant({
      HEARTH_SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
      HEARTH_SMTP_FROM: "hearth@example.com",
    });
    expect((await add("victim@example.net", "email")).body).toMatchObject({
      message: "target must be the e-mail address of a member of the team.",
    });
    const member = { email: "Ada@example.com", role: "member" };
    expect((await server.request("POST", `/auth/teams/${side.teamId}/members`, member)).status).toBe(200);
    const channel = await add("ada@example.com", "email");
    expect(channel.status).toBe(200);
    // As many as a team may send in an hour.
    for (let sent = 0; sent < 101; sent += 20) {
      server.clock.jump(hourMs + 1);
      const now = Math.min(20, 101 - sent);
      const answers = await Promise.all(Array.from({ length: now }, () => test(idOf(channel))));
      expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: now }, () => 200));
      await eventually(async () => {
        const all = (await server.request("GET", "/admin/alerts/deliveries", undefined, manager))
          .body as Deliveries;
        return (
          all.deliveries.length === sent + now && all.deliveries.every(({ state }) => state !== "queued")
        );
      });
    }
    expect(mail.received).toHaveLength(100);
    expect(await attempted(server, manager)).toMatchObject({
      state: "dead",
      error: "the team has sent 100 messages in a day",
    });
  });
});
