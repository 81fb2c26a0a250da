import { expect, it, vi } from "vitest";
import { HearthError } from "../../../../src/core/errors.js";
import { createScriptedEngine } from "../../../kit/scripted/engine.js";
import { aSide, complete } from "../accounts/budgeted.js";
import { startServer } from "../../../kit/server.js";
import { settled } from "./alerting.js";
import { startReceiver } from "../../../kit/doubles/alert-receivers.js";

async function served(load: () => Promise<never>) {
  const receiver = await startReceiver();
  const engine = createScriptedEngine(() => ["Good"]);
  const working = engine.load.bind(engine);
  engine.load = load;
  const server = await startServer({
    accounts: "managed",
    engine,
    diskSpace: (folder) => Promise.resolve({ folder, freeBytes: 1, totalBytes: 1 }),
    environment: { HEARTH_ALERT_HOSTS: receiver.host },
  });
  await server.request("POST", "/admin/alerts/channels", { kind: "webhook", target: receiver.url });
  const side = await aSide(server);
  const checked = (condition: () => boolean) =>
    vi.waitFor(
      async () => {
        server.clock.advance(10_000);
        await settled(server);
        expect(condition()).toBe(true);
      },
      { interval: 10, timeout: 20_000 },
    );
  const kinds = () => receiver.received.map(({ message }) => `${message.type} ${message.data.kind}`);
  return { server, side, receiver, checked, kinds, mend: () => void (engine.load = working) };
}

it("a model that cannot be loaded is alerted to with the reason, until it was loaded", async () => {
  const failure = () =>
    Promise.reject(new HearthError("model_unavailable", "The model file is damaged: no tensors."));
  const { server, side, receiver, checked, kinds, mend } = await served(failure);
  expect((await complete(server, side)).status).toBe(503);
  await checked(() => kinds().includes("alert.raised model_unavailable"));
  const raised = receiver.received.find(({ message }) => message.data.kind === "model_unavailable");
  expect(raised?.message.data).toMatchObject({
    teamId: null,
    message: "The model 'hearth-tiny-5m' cannot be loaded.",
    details: { model: "hearth-tiny-5m", reason: "The model file is damaged: no tensors." },
  });
  mend();
  expect((await complete(server, side)).status).toBe(200);
  await checked(() => kinds().includes("alert.resolved model_unavailable"));
});

it("a share of failed requests is alerted to, and a client's own errors are not", async () => {
  const { server, side, receiver, checked, kinds, mend } = await served(() =>
    Promise.reject(new Error("out of memory")),
  );
  for (let times = 0; times < 25; times += 1)
    expect((await server.request("GET", "/v1/models", undefined, "hk-wrong")).status).toBe(401);
  await server.request("GET", "/admin/alerts");
  for (let times = 0; times < 3; times += 1) server.clock.advance(30_000);
  await server.request("GET", "/admin/alerts");
  expect(kinds()).toEqual([]);
  for (let times = 0; times < 20; times += 1) expect((await complete(server, side)).status).toBe(500);
  await checked(() => kinds().includes("alert.raised error_rate"));
  expect(receiver.received[0]?.message.data.details).toMatchObject({
    minutes: 5,
    failedRequests: 20,
    failedRuns: 20,
  });
  mend();
  await checked(() => kinds().includes("alert.resolved error_rate"));
});
