import { open } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { startHub } from "../../kit/doubles/hub/hub-server.js";
import { atSystemSpeed, createPulling, ggufOf } from "./pulling.js";

const mebibyte = 1024 * 1024;
const files = { "tiny-Q4_K_M.gguf": ggufOf(2 * mebibyte), "tiny-Q8_0.gguf": ggufOf(1) };

describe("a pull is refused with a clear sentence", () => {
  it("401: by a repository that is not open to everyone, without a token and with a wrong one", async () => {
    const hub = await startHub(files);
    hub.behaviour.token = "right";
    const without = await createPulling({ HF_ENDPOINT: hub.url }).refusal("acme/tiny");
    expect([without.kind, without.code]).toEqual(["permission_denied", "gated"]);
    expect(without.message).toBe(
      `'acme/tiny' is not open to everyone (401), or does not exist: accept its licence at ${hub.url}/acme/tiny and set HF_TOKEN to a token of that account.`,
    );
    const wrong = await createPulling({ HF_ENDPOINT: hub.url, HF_TOKEN: "wrong" }).refusal("acme/tiny");
    expect(wrong.message).toContain("check that HF_TOKEN belongs to an account that may read it");
    expect(wrong.message).not.toContain("wrong");
    const right = createPulling({ HF_ENDPOINT: hub.url, HF_TOKEN: "right" });
    expect((await right.pull("acme/tiny")).bytes).toBe(2 * mebibyte);
  });

  it("403: by a gated repository", async () => {
    const hub = await startHub(files);
    hub.behaviour.isGated = true;
    const { message } = await createPulling({ HF_ENDPOINT: hub.url, HF_TOKEN: "t" }).refusal("acme/tiny");
    expect(message).toContain(`(403), or does not exist: accept its licence at ${hub.url}/acme/tiny`);
  });

  it("404: by a repository, a quantization, a file, a URL and a name that do not exist", async () => {
    const hub = await startHub(files);
    const pulling = createPulling({ HF_ENDPOINT: hub.url });
    const expected = {
      "nobody/tiny": "has no repository nobody/tiny (404)",
      "acme/tiny:Q5_K_M": "The nearest are 'acme/tiny:Q4_K_M', 'acme/tiny:Q8_0'.",
      "acme/tiny/tiny-Q8_1.gguf": "Did you mean 'tiny-Q8_0.gguf'",
      [`${hub.cdnUrl}/plain/none.gguf`]: "'none.gguf' does not exist there (404)",
      quen3: "Did you mean qwen3",
    };
    for (const [what, sentence] of Object.entries(expected)) {
      const error = await pulling.refusal(what);
      expect([what, error.kind]).toEqual([what, "model_not_found"]);
      expect(error.message).toContain(sentence);
    }
    expect(pulling.files()).toEqual([]);
  });

  it("429: by a server that asks for more patience than a person has, or never stops", async () => {
    const hub = await startHub(files);
    const pulling = createPulling({ HF_ENDPOINT: hub.url });
    hub.behaviour.failures = [{ status: 429, headers: { "retry-after": "86400" } }];
    expect(await pulling.refusal("acme/tiny")).toMatchObject({ kind: "rate_limited" });
    hub.behaviour.failures = Array.from({ length: 50 }, () => ({ status: 429 }));
    expect((await pulling.refusal("acme/tiny")).message).toContain("refuses more requests for now (429)");
  });

  it("by a server that cannot be reached", async () => {
    const hub = await startHub(files);
    const gone = await createPulling({ HF_ENDPOINT: "http://127.0.0.1:9" }).refusal("acme/tiny");
    expect(gone.message).toMatch(/^'127\.0\.0\.1:9' cannot be reached \(ECONNREFUSED\)/);
    hub.behaviour.redirectTo = "http://127.0.0.1:9/x";
    const { code } = await createPulling({ HF_ENDPOINT: hub.url }).refusal("acme/tiny");
    expect(code).toBe("no_network");
  });

  it("A6: by a hub that lists another size than the file has", async () => {
    const hub = await startHub(files);
    hub.behaviour.listedBytesMore = 5;
    const pulling = createPulling({ HF_ENDPOINT: hub.url });
    expect((await pulling.refusal("acme/tiny")).message).toContain(
      "was announced with 2,097,157 bytes, and the server sends 2,097,152",
    );
    expect(pulling.files()).toEqual([]);
  });

  it("A6: by a server that sends more bytes than it has announced, of which no more are written", async () => {
    const hub = await startHub(files);
    for (const hasRanges of [true, false]) {
      hub.behaviour.hasRanges = true;
      const pulling = createPulling({ HF_ENDPOINT: hub.url });
      hub.behaviour.bytesTooMany = 3 * mebibyte;
      let requests = 0;
      hub.behaviour.beforeBytes = () => {
        requests += 1;
        if (requests > 1) hub.behaviour.hasRanges = hasRanges;
      };
      const { code } = await pulling.refusal("acme/tiny");
      expect([hasRanges, code]).toEqual([hasRanges, "wrong_size"]);
      expect(pulling.files()).toEqual([]);
    }
  });

  it("A6: by bytes that have another hash than announced, which are removed", async () => {
    const hub = await startHub(files);
    hub.behaviour.isDamaged = true;
    const pulling = createPulling({ HF_ENDPOINT: hub.url });
    const { message, code } = await pulling.refusal("acme/tiny");
    expect(code).toBe("wrong_hash");
    expect(message).toMatch(/has the SHA-256 [0-9a-f]{64}, not [0-9a-f]{64} as announced/);
    expect(pulling.files()).toEqual([]);
    hub.behaviour.isDamaged = false;
    await pulling.pull("acme/tiny");
  });

  it("C1: by a file that is no GGUF file, at its first bytes, and by one with a damaged header", async () => {
    const damaged = ggufOf(mebibyte);
    damaged.writeBigUInt64LE(2n ** 60n, 8);
    const page = Buffer.concat([Buffer.from("<!doctype html>"), Buffer.alloc(30 * mebibyte)]);
    const hub = await startHub({ "page.gguf": page, "damaged.gguf": damaged });
    const pulling = createPulling({ HF_ENDPOINT: hub.url });
    expect((await pulling.refusal(`${hub.cdnUrl}/plain/page.gguf`)).message).toContain(
      "the server sends a web page",
    );
    expect(hub.sent.bytes).toBeLessThan(25 * mebibyte);
    expect((await pulling.refusal("acme/tiny/damaged.gguf")).message).toContain(
      "is not a usable GGUF file: it claims",
    );
    expect(pulling.files()).toEqual([]);
  });

  it("C7: by a disk with too little space before anything is downloaded", async () => {
    const hub = await startHub(files);
    const statfs = () => Promise.resolve({ bavail: 1, bsize: mebibyte });
    const pulling = createPulling({ HF_ENDPOINT: hub.url }, { statfs });
    const { code, message } = await pulling.refusal("acme/tiny");
    expect(code).toBe("disk_full");
    expect(message).toContain("has 1.0 MB free, and 2.1 MB are needed. Free some space and pull again");
    expect(hub.requests.filter(({ server }) => server === "cdn")).toEqual([]);
  });

  it("C7: by a disk that fills up meanwhile, and goes on from there once there is space", async () => {
    const hub = await startHub({ "tiny-Q4_K_M.gguf": ggufOf(20 * mebibyte) });
    let room = 10 * mebibyte;
    const openFile = async (path: string, flags: string) => {
      const handle = await open(path, flags);
      const write = handle.write.bind(handle);
      return Object.assign(handle, {
        write: (bytes: Uint8Array, offset: number, length: number, position: number) => {
          room -= length;
          if (room < 0) throw Object.assign(new Error("write"), { code: "ENOSPC" });
          return write(bytes, offset, length, position);
        },
      });
    };
    const pulling = createPulling({ HF_ENDPOINT: hub.url }, { ...atSystemSpeed, openFile });
    const { code, message } = await pulling.refusal("acme/tiny");
    expect([code, message]).toEqual([
      "disk_full",
      `The disk of ${pulling.models}/acme/tiny is full. Free some space and pull again; what was downloaded is kept.`,
    ]);
    room = 20 * mebibyte;
    hub.sent.bytes = 0;
    await pulling.pull("acme/tiny");
    expect(hub.sent.bytes).toBeLessThan(12 * mebibyte);
  });
});
