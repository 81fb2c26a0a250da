import { startTwoManaged } from "./managed.js";
import { expect, it, vi } from "vitest";
import { startReceiver } from "../kit/doubles/alert-receivers.js";

it("one server sends the alerts of all: a full disk of another one is raised once, by name, and resolved", async () => {
  const receiver = await startReceiver();
  let freeBytes = 1;
  const [first, second] = await startTwoManaged(
    (name) => ({
      diskSpace: (folder) =>
        Promise.resolve({ folder, freeBytes: name === "second" ? freeBytes : 50, totalBytes: 100 }),
    }),
    { HEARTH_ALERT_HOSTS: receiver.host },
  );
  const later = async (): Promise<void> => {
    for (const server of [second, first]) {
      server.clock.advance(20_000);
      for (let times = 0; times < 3; times += 1) await server.request("GET", "/admin/alerts");
    }
  };
  // The channel is added at the server that does not send.
  await second.request("POST", "/admin/alerts/channels", { kind: "webhook", target: receiver.url });
  const kinds = () => receiver.received.map(({ message }) => `${message.type} ${message.data.kind}`);
  await vi.waitFor(
    async () => {
      await later();
      expect(kinds()).toEqual(["alert.raised disk_low"]);
    },
    { timeout: 20_000 },
  );
  expect(receiver.received[0]?.message.data).toMatchObject({
    message: "Server second: The disk of the data folder has 1 percent of its space free.",
    details: { server: "second", freeBytes: 1 },
  });
  for (let times = 0; times < 10; times += 1) await later();
  expect(kinds()).toHaveLength(1);
  freeBytes = 50;
  await vi.waitFor(
    async () => {
      await later();
      expect(kinds()).toEqual(["alert.raised disk_low", "alert.resolved disk_low"]);
    },
    { timeout: 20_000 },
  );
});
