/** A server that may send alerts to receivers of the test, and what tests do with it. */
import { expect, vi } from "vitest";
import type { Overrides } from "../../../../src/app/app.js";
import { aSide, complete, set, type Side } from "../accounts/budgeted.js";
import { type ManagedServer, startServer } from "../../../kit/server.js";
import { startReceiver, type WebhookReceiver } from "../../../kit/doubles/alert-receivers.js";

const waiting = { interval: 10, timeout: 20_000 };
export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;

interface Added {
  readonly channelId: string;
  readonly secret: string;
}

/** A server, and a receiver that it may reach. @param others further receivers that it may reach */
export async function served(
  overrides: Overrides = {},
  environment: Readonly<Record<string, string>> = {},
  others: readonly WebhookReceiver[] = [],
) {
  const receiver = await startReceiver();
  const enough = (folder: string) => Promise.resolve({ folder, freeBytes: 50, totalBytes: 100 });
  const hosts = [receiver, ...others].flatMap(({ host }) => [host, `${host}/hook`]).join();
  const server = await startServer({
    accounts: "managed",
    diskSpace: enough,
    ...overrides,
    environment: { HEARTH_ALERT_HOSTS: hosts, ...environment },
  });
  return { receiver, server, side: await aSide(server) };
}

/** Adds a channel; the default is one for the whole server. */
export async function addWebhook(
  server: ManagedServer,
  { url }: Pick<WebhookReceiver, "url">,
  more: object = {},
): Promise<Added> {
  const { status, body } = await server.request("POST", "/admin/alerts/channels", {
    kind: "webhook",
    target: url,
    ...more,
  });
  expect(status, JSON.stringify(body)).toBe(200);
  return body as Added;
}

/** Advances the clock past some checks, and waits for what follows. */
export async function checked(
  server: ManagedServer,
  condition: () => boolean | Promise<boolean>,
): Promise<void> {
  await vi.waitFor(async () => {
    server.clock.advance(5_000);
    await settled(server);
    expect(await condition()).toBe(true);
  }, waiting);
}

/** Lets the server check several times, and returns how many messages the receiver has. */
export async function countAfter(
  server: ManagedServer,
  { received }: WebhookReceiver,
  ms: number,
): Promise<number> {
  for (let passed = 0; passed < ms; passed += 30_000) {
    server.clock.advance(30_000);
    await settled(server);
  }
  return received.length;
}

/** Resolves when the server has done what is due: its database answers after it, and so do the threads of its reports. */
export async function settled(server: ManagedServer): Promise<void> {
  for (const path of ["alerts", "overview", "overview", "requests", "alerts", "alerts"])
    await server.request("GET", `/admin/${path}`);
}

/** What a receiver got, in order. */
export const kindsOf = ({ received }: WebhookReceiver) =>
  received.map(({ message }) => `${message.type} ${message.data.kind}`);

/** Uses a budget of the key until its soft limit is reached, and its hard one refuses. */
export async function exceed(server: ManagedServer, side: Side): Promise<void> {
  await set(server, side, { apiKeyId: side.keyId, period: "day", budget: { softTokens: 4, hardTokens: 6 } });
  expect((await complete(server, side, 3)).status).toBe(200);
  expect((await complete(server, side, 3)).status).toBe(429);
}
