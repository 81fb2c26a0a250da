import { existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { sha256Of } from "../../kit/doubles/hub/hub.js";
import { startHub } from "../../kit/doubles/hub/hub-server.js";
import { atSystemSpeed, createPulling, ggufOf } from "./pulling.js";

const mebibyte = 1024 * 1024;
const bytes = ggufOf(20 * mebibyte);
const model = "acme/tiny/tiny-Q4_K_M.gguf";
const lock = "acme/tiny/.tiny-Q4_K_M.gguf.lock";

async function slowHub() {
  const hub = await startHub({ "tiny-Q4_K_M.gguf": bytes });
  hub.behaviour.bytesPerSecond = 40 * mebibyte;
  return hub;
}

describe("two pulls of one file", () => {
  it("in one process download it once, and both report its progress", async () => {
    const hub = await slowHub();
    const pulling = createPulling({ HF_ENDPOINT: hub.url }, atSystemSpeed);
    const results = await Promise.all(["acme/tiny", "acme/tiny:Q4_K_M"].map((what) => pulling.pull(what)));
    expect(results[1]).toEqual(results[0]);
    expect(hub.sent.bytes).toBeLessThan(bytes.length + 100);
    expect(pulling.progress.filter(({ phase }) => phase === "done")).toHaveLength(2);
  });

  it("go on when one of them is stopped, and stop with the second", async () => {
    const hub = await slowHub();
    const pulling = createPulling({ HF_ENDPOINT: hub.url }, atSystemSpeed);
    const stops = [new AbortController(), new AbortController()];
    const [first, second] = stops.map(({ signal }) =>
      pulling.puller.pull("acme/tiny", {
        signal,
        onProgress: ({ bytesDone }) => {
          if (bytesDone > 2 * mebibyte) stops[0]?.abort(new Error("first"));
          if (bytesDone > 8 * mebibyte) stops[1]?.abort(new Error("second"));
        },
      }),
    );
    await expect(first).rejects.toThrow("first");
    await expect(second).rejects.toThrow("second");
    expect(hub.sent.bytes).toBeGreaterThan(8 * mebibyte);
    // The second has joined the first, and begins nothing of its own.
    expect(
      hub.requests.filter(({ server, range }) => server === "cdn" && range === "bytes=0-0"),
    ).toHaveLength(1);
    expect(existsSync(join(pulling.models, lock))).toBe(false);
    await pulling.pull("acme/tiny");
    expect(sha256Of(pulling.read(model))).toBe(sha256Of(bytes));
    expect(hub.sent.bytes).toBeLessThan(bytes.length + 5 * mebibyte);
  });

  it("C7: with a puller each, as two processes have, download it once", async () => {
    const hub = await slowHub();
    const first = createPulling({ HF_ENDPOINT: hub.url }, atSystemSpeed);
    const second = createPulling({ HF_ENDPOINT: hub.url }, { ...atSystemSpeed, models: first.models });
    await Promise.all([first.pull("acme/tiny"), second.pull("acme/tiny")]);
    expect(hub.sent.bytes).toBeLessThan(bytes.length + 100);
    expect(first.files()).toEqual(["acme/tiny/.source.json", model]);
  });

  it("into one folder both stand in its record", async () => {
    const hub = await startHub({ "a-Q4_K_M.gguf": ggufOf(1, 1), "b-Q4_K_M.gguf": ggufOf(1, 2) });
    const first = createPulling({ HF_ENDPOINT: hub.url });
    const second = createPulling({ HF_ENDPOINT: hub.url }, { models: first.models });
    await Promise.all([first.pull("acme/tiny/a-Q4_K_M.gguf"), second.pull("acme/tiny/b-Q4_K_M.gguf")]);
    const record = JSON.parse(first.read("acme/tiny/.source.json").toString()) as { files: unknown[] };
    expect(record.files).toHaveLength(2);
  });
});

describe("C7: a lock that a crash has left", () => {
  const dead = 2 ** 22 + 1;
  it.each([
    ["of a process that is gone", `${dead} ${hostname()} 1`, 0],
    ["of another machine, which does not refresh it", "1 elsewhere 1", 70],
    ["of a process id that another process has now", `1 ${hostname()} 1`, 70],
    ["that is empty", "", 3],
    ["that is no lock", "?", 3],
  ])("%s is taken over", async (_, content, ageSeconds) => {
    const hub = await startHub({ "tiny-Q4_K_M.gguf": ggufOf(1) });
    const pulling = createPulling({ HF_ENDPOINT: hub.url });
    mkdirSync(join(pulling.models, "acme/tiny"), { recursive: true });
    writeFileSync(join(pulling.models, lock), content);
    if (ageSeconds > 0) utimesSync(join(pulling.models, lock), 0, Date.now() / 1000 - ageSeconds);
    await pulling.pull("acme/tiny");
    expect(pulling.files()).toEqual(["acme/tiny/.source.json", model]);
  });

  it("goes with the next pull, and all else that it has left, also when the file is there already", async () => {
    const hub = await startHub({ "tiny-Q4_K_M.gguf": ggufOf(1) });
    const pulling = createPulling({ HF_ENDPOINT: hub.url });
    await pulling.pull("acme/tiny");
    const names = [".tiny-Q4_K_M.gguf.lock", ".tiny-Q4_K_M.gguf.lock.stale", ".source.json.lock"];
    for (const name of names)
      writeFileSync(join(pulling.models, "acme/tiny", name), `${dead} ${hostname()} 1`);
    for (const name of [".partial", ".partial.json", ".partial.json.next"])
      writeFileSync(join(pulling.models, `acme/tiny/.tiny-Q4_K_M.gguf${name}`), "left");
    writeFileSync(join(pulling.models, "acme/tiny/.source.json.next"), "left");
    await pulling.pull("acme/tiny");
    expect(pulling.files()).toEqual(["acme/tiny/.source.json", model]);
  });

  it("is waited for while its process lives and refreshes it, until the pull is stopped", async () => {
    const hub = await startHub({ "tiny-Q4_K_M.gguf": ggufOf(1) });
    const pulling = createPulling({ HF_ENDPOINT: hub.url });
    mkdirSync(join(pulling.models, "acme/tiny"), { recursive: true });
    const content = `${process.pid} ${hostname()} other`;
    writeFileSync(join(pulling.models, lock), content);
    const stop = new AbortController();
    const pulled = pulling.puller.pull("acme/tiny", {
      signal: stop.signal,
      onProgress: ({ phase }) => {
        if (phase === "downloading") stop.abort(new Error("stopped"));
      },
    });
    await expect(pulled).rejects.toThrow("stopped");
    expect(readFileSync(join(pulling.models, lock), "utf8")).toBe(content);
    expect(hub.requests.filter(({ server }) => server === "cdn")).toEqual([]);
  });
});
