import { existsSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { sha256Of, type TestHub } from "../../kit/doubles/hub/hub.js";
import { startHub } from "../../kit/doubles/hub/hub-server.js";
import { atSystemSpeed, createPulling, ggufOf, type Pulling } from "./pulling.js";

const mebibyte = 1024 * 1024;
const model = "acme/tiny/tiny-Q4_K_M.gguf";
const left = ["acme/tiny/.tiny-Q4_K_M.gguf.partial", "acme/tiny/.tiny-Q4_K_M.gguf.partial.json"];

async function start(
  bytes: Buffer,
  speed: Partial<typeof atSystemSpeed> = {},
): Promise<{ hub: TestHub; pulling: Pulling }> {
  const hub = await startHub({ "tiny-Q4_K_M.gguf": bytes });
  return { hub, pulling: createPulling({ HF_ENDPOINT: hub.url }, speed) };
}

/** Pulls until so many bytes were sent, then aborts. */
async function breakOff(
  { hub, pulling }: Awaited<ReturnType<typeof start>>,
  afterBytes: number,
  what = "acme/tiny",
) {
  const stop = new AbortController();
  hub.behaviour.beforeBytes = () => undefined;
  const pulled = pulling.puller.pull(what, {
    signal: stop.signal,
    onProgress: ({ bytesDone }) => {
      if (bytesDone >= afterBytes) stop.abort(new Error("stopped"));
    },
  });
  await expect(pulled).rejects.toThrow("stopped");
}

function expectWhole({ pulling }: { pulling: Pulling }, bytes: Buffer, path = model): void {
  expect(sha256Of(pulling.read(path))).toBe(sha256Of(bytes));
  expect(pulling.files().filter((name) => /partial|lock|next|stale/.test(name))).toEqual([]);
}

describe("C7: a download that breaks off", () => {
  it("is continued where it stopped, and keeps its bytes in hidden files meanwhile", async () => {
    const bytes = ggufOf(40 * mebibyte);
    const test = await start(bytes, atSystemSpeed);
    test.hub.behaviour.bytesPerSecond = 60 * mebibyte;
    await breakOff(test, 20 * mebibyte);
    expect(test.pulling.files()).toEqual(left);
    test.hub.behaviour.bytesPerSecond = 0;
    test.hub.sent.bytes = 0;
    await test.pulling.pull("acme/tiny");
    expectWhole(test, bytes);
    expect(test.hub.sent.bytes).toBeLessThan(21 * mebibyte);
  });

  it("by cut connections goes on after each of them", async () => {
    const bytes = ggufOf(20 * mebibyte);
    const test = await start(bytes);
    test.hub.behaviour.cutAfterBytes = 3 * mebibyte;
    await test.pulling.pull("acme/tiny");
    expectWhole(test, bytes);
  });

  it("by an answer that stalls asks again after 30 seconds", async () => {
    const bytes = ggufOf(4 * mebibyte);
    const test = await start(bytes);
    test.hub.behaviour.stall = { afterBytes: mebibyte, answers: 1 };
    await test.pulling.pull("acme/tiny");
    expectWhole(test, bytes);
    expect(test.hub.behaviour.stall.answers).toBe(0);
    expect(test.pulling.clock.delays).toContain(30_000);
  });

  it("by errors of the server waits longer each time, and as long as retry-after says", async () => {
    const bytes = ggufOf(mebibyte);
    const test = await start(bytes);
    const failed = { status: 503 };
    const limited = { status: 429, headers: { "retry-after": "7" } };
    test.hub.behaviour.apiFailures = [failed, limited];
    // The first answer is the probe's.
    test.hub.behaviour.failures = [failed, limited, failed];
    await test.pulling.pull("acme/tiny");
    expectWhole(test, bytes);
    const waits = test.pulling.clock.delays.filter((delay) => delay < 30_000 && delay !== 5_000);
    expect(waits).toEqual([500, 7_000, 500, 7_000, 2_000]);
  });

  it("by a signed URL that has expired asks the hub for another", async () => {
    const bytes = ggufOf(70 * mebibyte);
    const test = await start(bytes);
    const used = new Set<string | undefined>();
    let refused = 0;
    test.hub.behaviour.beforeBytes = ({ url }) => {
      // The first request that comes from no redirect of its own.
      if (used.has(url) && refused === 0) {
        test.hub.behaviour.failures = [{ status: 403 }];
        refused += 1;
      }
      used.add(url);
    };
    await test.pulling.pull("acme/tiny");
    expectWhole(test, bytes);
    expect(refused).toBe(1);
    expect(test.hub.behaviour.failures).toEqual([]);
  });

  it("starts anew when its state is damaged, and when bytes are missing that the state promises", async () => {
    const bytes = ggufOf(20 * mebibyte);
    const test = await start(bytes);
    for (const damage of [
      () => writeFileSync(join(test.pulling.models, left[1] ?? ""), "{"),
      () => truncateSync(join(test.pulling.models, left[0] ?? ""), 1000),
    ]) {
      test.hub.behaviour.bytesPerSecond = 60 * mebibyte;
      await breakOff(test, 10 * mebibyte);
      damage();
      test.hub.behaviour.bytesPerSecond = 0;
      await test.pulling.pull("acme/tiny");
      expectWhole(test, bytes);
      rmSync(join(test.pulling.models, "acme"), { recursive: true });
    }
  });

  it("starts anew when what is left turns out to be damaged", async () => {
    const bytes = ggufOf(20 * mebibyte);
    const test = await start(bytes);
    test.hub.behaviour.bytesPerSecond = 60 * mebibyte;
    await breakOff(test, 10 * mebibyte);
    const partial = join(test.pulling.models, left[0] ?? "");
    const { size } = statSync(partial);
    writeFileSync(partial, Buffer.alloc(size));
    test.hub.behaviour.bytesPerSecond = 0;
    await test.pulling.pull("acme/tiny");
    expectWhole(test, bytes);
  });

  it("starts anew when the repository has another file by then", async () => {
    const test = await start(ggufOf(20 * mebibyte, 1));
    test.hub.behaviour.bytesPerSecond = 60 * mebibyte;
    await breakOff(test, 10 * mebibyte);
    const next = ggufOf(20 * mebibyte, 2);
    test.hub.files.set("tiny-Q4_K_M.gguf", next);
    test.hub.behaviour.bytesPerSecond = 0;
    await test.pulling.pull("acme/tiny");
    expectWhole(test, next);
  });
});

describe("a download of a URL, which has no hash,", () => {
  const url = (hub: TestHub): string => `${hub.cdnUrl}/plain/tiny-Q4_K_M.gguf`;

  it("C7: is continued while its ETag is the same, and starts anew when it has changed", async () => {
    const bytes = ggufOf(20 * mebibyte, 1);
    const test = await start(bytes, atSystemSpeed);
    test.hub.behaviour.bytesPerSecond = 60 * mebibyte;
    await breakOff(test, 10 * mebibyte, url(test.hub));
    test.hub.sent.bytes = 0;
    await breakOff(test, 15 * mebibyte, url(test.hub));
    expect(test.hub.sent.bytes).toBeLessThan(10 * mebibyte);
    const next = ggufOf(20 * mebibyte, 2);
    test.hub.files.set("tiny-Q4_K_M.gguf", next);
    test.hub.behaviour.etag = '"two"';
    test.hub.behaviour.bytesPerSecond = 0;
    await test.pulling.pull(url(test.hub));
    expectWhole(test, next, "tiny-Q4_K_M.gguf");
  });

  it("C7: starts anew where bytes are missing that its state promises", async () => {
    const bytes = ggufOf(20 * mebibyte);
    const test = await start(bytes);
    test.hub.behaviour.bytesPerSecond = 60 * mebibyte;
    await breakOff(test, 10 * mebibyte, url(test.hub));
    truncateSync(join(test.pulling.models, ".tiny-Q4_K_M.gguf.partial"), 1000);
    test.hub.behaviour.bytesPerSecond = 0;
    await test.pulling.pull(url(test.hub));
    expectWhole(test, bytes, "tiny-Q4_K_M.gguf");
  });

  it.each([false, true])(
    "C7: starts anew when the file changes between two of its ranges (server without conditions: %s)",
    async (ignoresConditions) => {
      const next = ggufOf(40 * mebibyte, 2);
      const test = await start(ggufOf(40 * mebibyte, 1));
      test.hub.behaviour.ignoresConditions = ignoresConditions;
      let requests = 0;
      test.hub.behaviour.beforeBytes = () => {
        requests += 1;
        // The first two are probes.
        if (requests !== 4) return;
        test.hub.files.set("tiny-Q4_K_M.gguf", next);
        test.hub.behaviour.etag = '"two"';
      };
      await test.pulling.pull(url(test.hub));
      expectWhole(test, next, "tiny-Q4_K_M.gguf");
    },
  );

  it("C7: is given up when it changes again and again", async () => {
    const test = await start(ggufOf(mebibyte));
    let requests = 0;
    test.hub.behaviour.beforeBytes = () => (test.hub.behaviour.etag = `"${(requests += 1)}"`);
    expect((await test.pulling.refusal(url(test.hub))).message).toContain(
      "it changes while it is downloaded",
    );
    expect(test.pulling.files()).toEqual([]);
  });

  it("works without ranges, from the start after each break", async () => {
    const bytes = ggufOf(4 * mebibyte);
    const test = await start(bytes);
    test.hub.behaviour.hasRanges = false;
    test.hub.behaviour.stall = { afterBytes: mebibyte, answers: 1 };
    await test.pulling.pull(url(test.hub));
    expectWhole(test, bytes, "tiny-Q4_K_M.gguf");
  });

  it("works without an ETag", async () => {
    const bytes = ggufOf(4 * mebibyte);
    const test = await start(bytes);
    test.hub.behaviour.etag = null;
    await test.pulling.pull(url(test.hub));
    expectWhole(test, bytes, "tiny-Q4_K_M.gguf");
    expect(existsSync(join(test.pulling.models, ".source.json"))).toBe(true);
  });
});
