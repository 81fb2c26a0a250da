import { join } from "node:path";
import { expect, it } from "vitest";
import { eventually, startReceiver } from "../../kit/doubles/alert-receivers.js";
import { temporaryFolder } from "../../kit/folder.js";
import { startProcess } from "../../kit/program.js";
import { testKey } from "../../kit/server/settings.js";

const managementKey = "management-key-of-the-operator";

interface Answer {
  readonly team_id?: string;
  readonly alerts?: readonly object[];
  readonly deliveries?: readonly { readonly state: string }[];
}

it("an alert that was raised before the process was killed is delivered after the next start, with the same webhook-id", async () => {
  const receiver = await startReceiver();
  receiver.answer(503);
  const environment = {
    HEARTH_DATA: join(temporaryFolder(), "data"),
    HEARTH_MANAGEMENT_KEY: managementKey,
    HEARTH_ALERT_HOSTS: receiver.host,
    HEARTH_ALERT_CHECK_SECONDS: "5",
  };
  const send = async (url: string, method: string, path: string, body?: object, key = managementKey) => {
    const response = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    expect(response.status, await response.clone().text()).toBe(200);
    return (await response.json()) as Answer;
  };
  const first = await startProcess(environment);
  await send(first.url, "POST", "/admin/alerts/channels", { kind: "webhook", target: receiver.url });
  const { team_id: teamId = "" } = await send(first.url, "GET", "/v1/api-key", undefined, testKey);
  const budget = { period: "total", budget: { softTokens: 1 } };
  await send(first.url, "PUT", `/auth/teams/${teamId}/budgets`, budget);
  const messages = [{ role: "user", content: "Hello" }];
  const chat = { model: "hearth-tiny-5m", messages, max_tokens: 2 };
  await send(first.url, "POST", "/v1/chat/completions", chat, testKey);
  await eventually(() => receiver.received.length > 0);
  const { alerts } = await send(first.url, "GET", "/admin/alerts");
  expect(alerts).toMatchObject([{ kind: "budget_soft" }]);
  first.child.kill("SIGKILL");
  await first.exited;
  receiver.answer(204);
  const before = receiver.received.length;
  const second = await startProcess(environment);
  await eventually(() => receiver.received.length > before);
  const ids = receiver.received.map(({ headers }) => headers["webhook-id"]);
  expect(new Set(ids).size).toBe(1);
  await eventually(async () => {
    const { deliveries } = await send(second.url, "GET", "/admin/alerts/deliveries");
    return deliveries?.length === 1 && deliveries[0]?.state === "delivered";
  });
});
