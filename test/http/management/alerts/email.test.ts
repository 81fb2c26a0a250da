import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { root } from "../../../kit/folder.js";
import { type ManagedServer, startServer } from "../../../kit/server.js";
import { eventually, startMailServer } from "../../../kit/doubles/alert-receivers.js";

const fixture = (name: string): string => join(root, "test/fixtures/tls", name);
const certificate = { cert: readFileSync(fixture("first.pem")), key: readFileSync(fixture("first.key")) };
const from = "hearth@example.com";

function add(server: ManagedServer, target = "ops@example.com") {
  return server.request("POST", "/admin/alerts/channels", { kind: "email", target });
}

async function newest(server: ManagedServer): Promise<Record<string, unknown>> {
  const { body } = await server.request("GET", "/admin/alerts/deliveries");
  return (body as { deliveries: readonly Record<string, unknown>[] }).deliveries[0] ?? {};
}

/** Adds a channel, tests it and returns its delivery once it was attempted. */
async function tested(server: ManagedServer): Promise<Record<string, unknown>> {
  const { channelId } = (await add(server)).body as { channelId: string };
  await server.request("POST", `/admin/alerts/channels/${channelId}/test`);
  await eventually(async () => Number((await newest(server))["attempts"]) > 0);
  return newest(server);
}

it.each([
  ["TLS from the start", "smtps", { secure: true, ...certificate }],
  ["STARTTLS", "smtp", certificate],
] as const)("an alert is sent by e-mail with %s and a password", async (_, scheme, options) => {
  const mail = await startMailServer(options);
  const server = await startServer({
    accounts: "managed",
    environment: {
      HEARTH_SMTP_URL: `${scheme}://hearth%40example.com:secret@localhost:${mail.port}`,
      HEARTH_SMTP_FROM: from,
      HEARTH_SMTP_CA: fixture("first.pem"),
    },
  });
  const { state, error, deliveryId } = await tested(server);
  expect([state, error]).toEqual(["delivered", undefined]);
  const [sent] = mail.received;
  expect(sent).toMatchObject({
    from,
    to: ["ops@example.com"],
    isEncrypted: true,
    user: "hearth@example.com",
  });
  expect(sent?.text).toContain("Subject: [Hearth] This is a test: alerts reach this channel.\r\n");
  expect(sent?.text).toContain(`Message-ID: <${String(deliveryId)}@hearth.invalid>\r\n`);
});

it("e-mail is not sent to a server whose certificate no known authority has signed", async () => {
  const mail = await startMailServer({ secure: true, ...certificate });
  const settings = { HEARTH_SMTP_URL: `smtps://localhost:${mail.port}`, HEARTH_SMTP_FROM: from };
  const server = await startServer({ accounts: "managed", environment: settings });
  expect(await tested(server)).toMatchObject({
    state: "queued",
    error: expect.stringContaining("certificate") as string,
  });
  expect(mail.received).toEqual([]);
});

it("an e-mail that the server did not take is sent again with the same Message-ID", async () => {
  const mail = await startMailServer({ disabledCommands: ["STARTTLS"] });
  const settings = { HEARTH_SMTP_URL: `smtp://127.0.0.1:${mail.port}`, HEARTH_SMTP_FROM: from };
  const server = await startServer({ accounts: "managed", environment: settings });
  mail.refuse("the disk is full");
  const { deliveryId, error } = await tested(server);
  expect(error).toContain("the disk is full");
  mail.refuse(null);
  await server.clock.whenWaiting(5000);
  server.clock.advance(5000);
  await eventually(() => mail.received.length === 1);
  expect(mail.received[0]?.text).toContain(`Message-ID: <${String(deliveryId)}@hearth.invalid>`);
  await eventually(async () => (await newest(server))["state"] === "delivered");
});

it("an address is refused by name where no server for e-mail is configured, or where it is none", async () => {
  const without = await startServer({ accounts: "managed" });
  expect((await add(without)).body).toMatchObject({
    message: "target needs the settings smtpUrl and smtpFrom.",
  });
  const settings = { HEARTH_SMTP_URL: "smtp://127.0.0.1:1", HEARTH_SMTP_FROM: from };
  const server = await startServer({ accounts: "managed", environment: settings });
  for (const target of ["ops", "ops@example.com\r\nBcc: all@example.com", "a@b, c@d"])
    expect((await add(server, target)).body, target).toMatchObject({
      message: "target must be an e-mail address, such as ada@example.com.",
    });
});
