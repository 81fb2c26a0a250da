import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { host } from "../../engine/worker/echo-worker.js";
import { temporaryFolder } from "../../kit/folder.js";
import { startServer } from "../../kit/server.js";
import { builtInModel, testKey } from "../../kit/server/settings.js";
import { until } from "../../kit/until.js";
import { createManualClock } from "../../kit/manual-clock.js";

const second = 1_000;
/** An engine's thread that loads every model, writes a file when it gets a prompt, and never returns from it. */
const blocking = `
  import { writeFileSync } from "node:fs";
  import { hostWorker } from ${JSON.stringify(host)};
  hostWorker({
    answer: ({ type }) => {
      if (type === "prompt") writeFileSync(new URL("blocked", import.meta.url), "");
      while (type === "prompt");
      return { contextTokens: 64, slots: 1, device: "cpu", callsAreExact: true };
    },
  });`;

it("C10: while the thread of the chat models is blocked /readyz says so, then the thread is ended with its runs and the server is ready again", async () => {
  const clock = createManualClock(Date.UTC(2026, 10, 22));
  const folder = temporaryFolder();
  const file = join(folder, "worker.mjs");
  writeFileSync(file, blocking);
  const { url } = await startServer({ clock, workerUrl: pathToFileURL(file) });
  const ready = async (): Promise<unknown> => (await fetch(`${url}/readyz`)).json();
  const ask = (): Promise<Response> =>
    fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${testKey}`, "content-type": "application/json" },
      body: JSON.stringify({ model: builtInModel, messages: [{ role: "user", content: "Hello!" }] }),
    });
  const blocked = [ask(), ask()];
  await until(() => existsSync(join(folder, "blocked")));
  const notReady = { status: "unavailable", reasons: ["the chat engine does not answer"] };
  const states = [await ready()];
  for (let seconds = 0; seconds < 11; seconds++) {
    await clock.whenWaiting(second);
    clock.advance(second);
    await nextTurn();
    await nextTurn();
    states.push(await ready());
  }
  expect(states.slice(0, 3)).toEqual(Array(3).fill({ status: "ok" }));
  expect(states.slice(4, 10)).toEqual(Array(6).fill(notReady));
  for (const { status } of await Promise.all(blocked)) expect(status).toBe(500);
  expect(await ready()).toEqual({ status: "ok" });
});
