import { describe, expect, it } from "vitest";
import type { DiskSpace } from "../../../../src/jobs/alerts/conditions/server.js";
import { complete, set } from "../accounts/budgeted.js";
import {
  addWebhook,
  checked,
  countAfter,
  exceed,
  hourMs,
  kindsOf,
  minuteMs,
  served,
  settled,
} from "./alerting.js";
import { startReceiver } from "../../../kit/doubles/alert-receivers.js";

describe("alerts of budgets", () => {
  it("are sent once when the soft limit is reached and when requests are refused, and once when the period is over", async () => {
    const { receiver, server, side } = await served();
    await addWebhook(server, receiver);
    await exceed(server, side);
    await checked(server, () => receiver.received.length === 2);
    expect(kindsOf(receiver).toSorted()).toEqual(["alert.raised budget_hard", "alert.raised budget_soft"]);
    const soft = receiver.received.find(({ message }) => message.data.kind === "budget_soft");
    expect(soft?.message.data).toMatchObject({
      teamId: side.teamId,
      teamName: "research",
      message:
        "The soft limit of the daily budget of the API key 'laptop' is reached. It resets at 2026-11-22T00:00:00.000Z.",
      details: {
        subject: "key",
        subjectId: side.keyId,
        subjectName: "laptop",
        spentTokens: 5,
        softTokens: 4,
      },
      resolvedTime: null,
    });
    expect(await countAfter(server, receiver, 5 * minuteMs)).toBe(2);
    server.clock.jump(12 * hourMs);
    await checked(server, () => receiver.received.length === 4);
    expect(kindsOf(receiver).slice(2).toSorted()).toEqual([
      "alert.resolved budget_hard",
      "alert.resolved budget_soft",
    ]);
    const ids = new Set(receiver.received.map(({ message }) => message.data.alertId));
    expect(ids.size).toBe(2);
  });

  it("that a request was refused stays when the request asked for more than is left, and ends when the budget is changed", async () => {
    const { receiver, server, side } = await served();
    await addWebhook(server, receiver);
    await set(server, side, { tag: "x", period: "total", budget: { hardTokens: 6 } });
    await set(server, side, { period: "total", budget: { hardTokens: 6 } });
    expect((await complete(server, side, 40)).status).toBe(429);
    await checked(server, () => receiver.received.length === 1);
    expect(receiver.received[0]?.message.data.message).toBe("The total budget of the team refuses requests.");
    expect(await countAfter(server, receiver, 2 * minuteMs)).toBe(1);
    await set(server, side, { period: "total", budget: { hardTokens: 60 } });
    await checked(server, () => receiver.received.length === 2);
    expect(kindsOf(receiver)).toEqual(["alert.raised budget_hard", "alert.resolved budget_hard"]);
  });

  it("go to the channels of their team and of the whole server, and to no other team", async () => {
    const [own, other] = [await startReceiver(), await startReceiver()];
    const { receiver, server, side } = await served({}, {}, [own, other]);
    const otherTeam = await server.createTeam("other");
    await addWebhook(server, receiver);
    await addWebhook(server, own, { teamId: side.teamId });
    await addWebhook(server, other, { teamId: otherTeam });
    await exceed(server, side);
    await checked(server, () => receiver.received.length === 2 && own.received.length === 2);
    await settled(server);
    expect(other.received).toEqual([]);
  });
});

it("an alert that goes on is sent again after the interval of the setting", async () => {
  const { receiver, server, side } = await served({}, { HEARTH_ALERT_REPEAT_HOURS: "2" });
  await addWebhook(server, receiver);
  await set(server, side, { period: "month", budget: { softTokens: 1 } });
  await complete(server, side);
  await checked(server, () => receiver.received.length === 1);
  server.clock.jump(2 * hourMs - minuteMs);
  expect(await countAfter(server, receiver, 30_000)).toBe(1);
  server.clock.jump(minuteMs);
  await checked(server, () => receiver.received.length === 2);
  expect(kindsOf(receiver)).toEqual(["alert.raised budget_soft", "alert.repeated budget_soft"]);
});

it("low credit is alerted to below the amount of each channel, and resolved when credit was added", async () => {
  const frugal = await startReceiver();
  const { receiver, server } = await served({}, {}, [frugal]);
  const teamId = await server.createTeam("prepaid");
  const credit = (usd: string) =>
    server.request("POST", `/v1/billing/teams/${teamId}/prepaid/top-up`, { amount: { val: usd } });
  await addWebhook(server, frugal, { teamId, creditBelowUsd: "3.5" });
  await addWebhook(server, receiver);
  expect(await countAfter(server, receiver, minuteMs)).toBe(0);
  await credit("400");
  await checked(server, () => receiver.received.length === 1);
  expect(receiver.received[0]?.message.data).toMatchObject({
    kind: "credit_low",
    message: "The credit of team 'prepaid' is below 5.00 USD.",
    details: { creditUsd: "4.00", belowUsd: "5.00" },
  });
  await credit("101");
  await checked(server, () => receiver.received.length === 2);
  expect(kindsOf(receiver)[1]).toBe("alert.resolved credit_low");
  expect(frugal.received).toEqual([]);
});

it("a disk that is nearly full is alerted to, and resolved when it was not for five minutes", async () => {
  let freeBytes = 4;
  const diskSpace = (folder: string): Promise<DiskSpace> =>
    Promise.resolve({ folder, freeBytes, totalBytes: 100 });
  const { receiver, server } = await served({ diskSpace });
  await addWebhook(server, receiver);
  await checked(server, () => receiver.received.length === 1);
  freeBytes = 5;
  expect(await countAfter(server, receiver, 4 * minuteMs)).toBe(1);
  freeBytes = 4;
  expect(await countAfter(server, receiver, 4 * minuteMs)).toBe(1);
  freeBytes = 5;
  await checked(server, () => receiver.received.length === 2);
  expect(kindsOf(receiver)).toEqual(["alert.raised disk_low", "alert.resolved disk_low"]);
});
