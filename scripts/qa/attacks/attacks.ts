/** The attacks: each is one round, repeated until the end. */
import { connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { attempt, type Attack } from "./ask.js";
import { recursiveSchemas } from "./recursive-schemas.js";

const bodyBytes = 32 * 1024 * 1024;
const bodiesAtOnce = 8;
const slowConnections = 1_000;
const engineMsMax = 20_000;
const slowMs = 1_000;

/** Text that no context holds. */
const longText = "The event loop answers others meanwhile. ".repeat(Math.floor(bodyBytes / 41) - 100);
const longBody = (model: string): string =>
  JSON.stringify({ model, messages: [{ role: "user", content: longText }], max_tokens: 1 });

export const attacks: Readonly<Record<string, Attack>> = {
  "recursive alternatives": async (run) => {
    for (const [name, schema] of Object.entries(recursiveSchemas))
      await attempt(run, "/v1/chat/completions", {
        label: name,
        body: {
          model: run.target.builtInModel,
          messages: [{ role: "user", content: "Write an expression." }],
          max_tokens: 300,
          temperature: 1,
          response_format: { type: "json_schema", json_schema: { name: "e", strict: true, schema } },
        },
      });
  },
  "engines that misbehave": async (run) => {
    await Promise.all(
      run.target.hostileModels.map((model) =>
        attempt(run, "/v1/chat/completions", {
          label: model,
          timeoutMs: engineMsMax,
          body: {
            model,
            messages: [{ role: "user", content: "Hello" }],
            max_tokens: 50,
            tools: [{ type: "function", function: { name: "look", parameters: { type: "object" } } }],
          },
        }),
      ),
    );
  },
  "deferred to engines that misbehave": async (run) => {
    for (const model of run.target.hostileModels)
      await attempt(run, "/v1/chat/completions", {
        body: { model, messages: [{ role: "user", content: "Hello" }], max_tokens: 50, deferred: true },
      });
    await delay(slowMs, undefined, { signal: run.signal });
  },
  "a model whose engine is silent": async (run) => {
    const body = { model: run.target.silentModel, messages: [{ role: "user", content: "Hello" }] };
    await attempt(run, "/v1/chat/completions", { body, timeoutMs: engineMsMax });
  },
  "many small models": async (run) => {
    for (const model of run.target.smallModels)
      await attempt(run, "/v1/chat/completions", {
        body: { model, messages: [{ role: "user", content: "Hello" }], max_tokens: 2 },
      });
  },
  "slow connections with Upgrade: h2c": async ({ target, signal, count }) => {
    const { hostname, port } = new URL(target.url);
    const sockets = Array.from({ length: slowConnections }, () => openSlowly(hostname, Number(port), count));
    while (!signal.aborted) {
      await delay(slowMs);
      for (const socket of sockets) if (socket.writable) socket.write("x");
    }
    for (const socket of sockets) socket.destroy();
  },
  "bodies of 32 MB": async (run) => {
    const body = longBody(run.target.builtInModel);
    const send = (): Promise<void> => attempt(run, "/v1/chat/completions", { body });
    await Promise.all(Array.from({ length: bodiesAtOnce }, send));
    await delay(slowMs, undefined, { signal: run.signal });
  },
  "refused uploads": async (run) => {
    const form = new FormData();
    form.set("purpose", "nothing");
    form.set("file", new Blob([longText.slice(0, 4_000_000)]), "file.jsonl");
    await attempt(run, "/v1/files", { body: form, key: "hk-wrong" });
    await attempt(run, "/v1/files", { body: form });
    await delay(slowMs, undefined, { signal: run.signal });
  },
  exports: async (run) => {
    for (const rows of ["usage", "ledger", "audit"])
      await attempt(run, `/admin/export/${rows}?format=csv&startTime=2020-01-01&endTime=2030-01-01`, {
        managed: true,
      });
  },
  "reports by member": async (run) => {
    const now = new Date();
    const yearAgo = new Date(now.getTime() - 364 * 86_400_000);
    const analyticsRequest = {
      timeRange: { startTime: timeText(yearAgo), endTime: timeText(now) },
      timeUnit: "TIME_UNIT_MONTH",
      values: [{ name: "usd", aggregation: "AGGREGATION_SUM" }],
      groupBy: ["memberId"],
      topMax: 10,
    };
    await attempt(run, `/v1/billing/teams/${run.target.teamId}/usage`, {
      managed: true,
      body: { analyticsRequest },
    });
    await attempt(run, "/admin/requests?query=nothing-has-this-text&limit=100", { managed: true });
  },
  "total budgets": async (run) => {
    // A budget that is set adds up all that was used; removed, it can be set again.
    for (const budget of [{ hardUsd: "800000" }, {}])
      await attempt(run, `/auth/teams/${run.target.teamId}/budgets`, {
        managed: true,
        method: "PUT",
        body: { period: "total", budget, fieldMask: "hardUsd" },
      });
    await delay(slowMs, undefined, { signal: run.signal });
  },
};

function openSlowly(hostname: string, port: number, count: (outcome: string) => void): Socket {
  const socket = connect(port, hostname);
  const openedAt = performance.now();
  socket.on("error", () => undefined);
  socket.once("close", () =>
    count(`closed after ${Math.round((performance.now() - openedAt) / 10_000) * 10} s`),
  );
  socket.resume();
  const lines = [
    "POST /v1/chat/completions HTTP/1.1",
    `Host: ${hostname}:${port}`,
    "Connection: Upgrade, HTTP2-Settings",
  ];
  const rest = [
    "Upgrade: h2c",
    "HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA",
    "Content-Length: 100000",
    "",
    "{",
  ];
  socket.write([...lines, ...rest].join("\r\n"));
  return socket;
}

function timeText(time: Date): string {
  return time.toISOString().slice(0, 19).replace("T", " ");
}
