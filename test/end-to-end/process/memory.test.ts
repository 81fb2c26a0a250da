import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { type TestServer, startServer } from "../../kit/server.js";
import { builtInModel, testKey } from "../../kit/server/settings.js";
import { until } from "../../kit/until.js";
import { casesOf } from "../../kit/setup/random-cases.js";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** Bytes by which the process may grow for each request. */
const bytesMax = 1000;

/** Bytes of live objects in this process, the engine's worker apart. */
async function liveBytes(): Promise<number> {
  for (let round = 0; round < 3; round++) {
    await new Promise<void>((resolve) => setImmediate(resolve));
    collectGarbage();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Whole, streamed, aborted and refused requests in turn, a few at a time. */
async function mixedRequests(app: TestServer, count: number): Promise<void> {
  for (let at = 0; at < count; at += 8)
    await Promise.all(Array.from({ length: 8 }, (_, index) => mixedRequest(app, at + index)));
  await until(() => app.app.liveRuns.size === 0);
}

async function mixedRequest(app: TestServer, index: number): Promise<void> {
  const leaving = new AbortController();
  const kind = index % 4;
  const content = kind === 3 ? "word ".repeat(9000) : `Hello number ${index}`;
  const answer = await fetch(`${app.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${testKey}`, "content-type": "application/json" },
    body: JSON.stringify({
      model: builtInModel,
      messages: [{ role: "user", content }],
      max_tokens: 3,
      stream: kind !== 0,
    }),
    signal: leaving.signal,
  });
  if (kind !== 2) return void (await answer.arrayBuffer());
  leaving.abort();
}

describe("memory", () => {
  it(
    "F10: does not grow with the number of requests, including aborted and rejected ones",
    { timeout: 300_000 },
    async () => {
      const app = await startServer();
      // Compiled code, statement caches and connection pools fill up first.
      // With fewer requests, what is freed later counts as growth.
      const requests = Math.max(400, casesOf(1600));
      await mixedRequests(app, requests);
      // What grows with the number of requests grows each time; a cache that fills up, or what is freed later, does not.
      const growths: number[] = [];
      while (growths.length < 4 && Math.min(...growths) >= bytesMax) {
        const before = await liveBytes();
        await mixedRequests(app, requests);
        growths.push(((await liveBytes()) - before) / requests);
      }
      expect(Math.min(...growths)).toBeLessThan(bytesMax);
    },
  );
});
