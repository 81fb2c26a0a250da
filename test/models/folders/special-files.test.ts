/** Pipes, devices, sockets, folders and loops of links in the places of files that somebody else fills. */
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { extractArchive } from "../../../src/backup/read-archive.js";
import { readFirstUrl } from "../../../src/cli/batches/remote-batches.js";
import { readConfigFile, readSecret } from "../../../src/config/file.js";
import { readImageModelConfig } from "../../../src/engine/images/model-config.js";
import { createEmailSender } from "../../../src/jobs/alerts/senders/email.js";
import { readModelType } from "../../../src/engine/vision/model-files.js";
import { openTls } from "../../../src/http/server/tls.js";
import { readHubSettings } from "../../../src/models/hub/settings.js";
import { takeLock } from "../../../src/models/hub/transfer/lock.js";
import { bytesSoFar, openPartial } from "../../../src/models/hub/transfer/partial-file.js";
import { linkModels } from "../../../src/models/library/link.js";
import { loadRegistry } from "../../../src/models/registry.js";
import { openModelSettings } from "../../../src/models/settings-store.js";
import { verifyWeights } from "../../../src/models/verify.js";
import { parsePostgresUrl } from "../../../src/store/postgres/address.js";
import { systemClock } from "../../../src/system/clock.js";
import { modelBytes } from "../../kit/models/gguf-writer.js";
import { temporaryFolder } from "../../kit/folder.js";
import { createManualClock } from "../../kit/manual-clock.js";

/** Larger than any file that is read as a whole. */
const hugeBytes = 3 * 1024 * 1024 * 1024;

const kinds: Readonly<Record<string, (path: string) => void | Promise<void>>> = {
  pipe: (path) => void execFileSync("mkfifo", [path]),
  device: (path) => symlinkSync("/dev/zero", path),
  "loop of links": (path) => symlinkSync(path, path),
  folder: (path) => void mkdirSync(path),
  "huge file": (path) => {
    writeFileSync(path, "{");
    truncateSync(path, hugeBytes);
  },
  async socket(path) {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(path, resolve));
    onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  },
};

const logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};
const clock = createManualClock(0);
const place = { engine: "vllm", modelName: "served", notGuaranteed: [], contextTokens: null };
const put = (path: string, content: string | Buffer = ""): string => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  return path;
};
/** Lists the models of a folder, which has a model that can be used, whatever else is there. */
async function listed(
  folder: string,
  settings: Parameters<typeof loadRegistry>[0] | object = {},
): Promise<void> {
  put(join(folder, "good.gguf"), modelBytes());
  put(join(folder, "other.gguf"), modelBytes());
  const options = { folders: [folder], contextTokensMax: 8192, visionFamilies: ["florence2"] };
  const registry = await loadRegistry({ ...options, ...settings });
  expect(registry.find("good")?.unusable).toBeNull();
}

interface Place {
  /** The name of the file that is replaced. */
  readonly file: string;
  /** Reads it. It may reject; it has to end. @param path of the file @param folder a new one */
  readonly read: (path: string, folder: string) => unknown;
}

const models = (
  file: string,
  more?: (folder: string) => void,
  settings?: (path: string) => object,
): Place => ({
  file,
  read: (path, folder) => {
    more?.(folder);
    return listed(folder, settings?.(path) ?? {});
  },
});
const foreign = (
  from: "ollama" | "lmstudio" | "hf",
  file: string,
  more?: (folder: string) => void,
): Place => ({
  file,
  read: (_, source) => {
    more?.(source);
    const folder = temporaryFolder();
    return linkModels({ from, source, folder, folders: [folder], isDryRun: false });
  },
});
const tokenizer = (file: string): Place =>
  models(
    `team/model/${file}`,
    (folder) => file !== "tokenizer.json" && put(join(folder, "team/model/tokenizer.json"), "{}"),
    () => ({ placements: new Map([["team/model", place]]), vocabularies: temporaryFolder() }),
  );
const digest = "a".repeat(64);

const places: Readonly<Record<string, Place>> = {
  "a model": models("x.gguf"),
  "a part of a model": models("x-00002-of-00002.gguf", (folder) =>
    put(join(folder, "x-00001-of-00002.gguf"), modelBytes()),
  ),
  "a manifest": models("m/manifest.json"),
  "a file that a manifest names": models("m/w.gguf", (folder) =>
    put(join(folder, "m/manifest.json"), JSON.stringify({ id: "m", file: "w.gguf" })),
  ),
  "the index of an image model": models("m/model_index.json"),
  "the configuration of a vision model": models("m/config.json", (folder) =>
    mkdirSync(join(folder, "m/onnx")),
  ),
  "a record of a download": models("org/repo/.source.json", (folder) =>
    put(join(folder, "org/repo/y.gguf"), modelBytes()),
  ),
  "a template that a setting names": models("t.jinja", undefined, (template) => ({
    readSettings: () => ({ settings: { other: { template } }, problem: null }),
  })),
  "an adapter that a setting names": models("lora.bin", undefined, (file) => ({
    readSettings: () => ({ settings: { other: { lora: [{ file, scale: 1 }] } }, problem: null }),
  })),
  ...Object.fromEntries(
    [
      "tokenizer.json",
      "tokenizer_config.json",
      "config.json",
      "generation_config.json",
      "chat_template.jinja",
    ].map((file) => [`${file} of a tokenizer`, tokenizer(file)]),
  ),
  "settings of models": {
    file: "model-settings.yaml",
    read: (path) =>
      expect(openModelSettings(path, () => ({ settings: {}, file: null })).read().settings).toEqual({}),
  },
  "weights whose digest is checked": {
    file: "x.gguf",
    read: async (path) => {
      const manifest = { kind: "chat", file: "x.gguf", bytes: 0, sha256: digest };
      expect(await verifyWeights({ manifest, path } as never)).not.toBeNull();
    },
  },
  "a file of an image model": {
    file: "scheduler/scheduler_config.json",
    read: (_, folder) => readImageModelConfig(folder),
  },
  "a file of a vision model": { file: "config.json", read: (_, folder) => readModelType(folder) },
  "a manifest of Ollama": foreign("ollama", "manifests/registry.ollama.ai/library/m/latest"),
  "weights of Ollama": foreign("ollama", `blobs/sha256-${digest}`, (folder) => {
    const layers = [{ mediaType: "application/vnd.ollama.image.model", digest: `sha256:${digest}` }];
    put(join(folder, "manifests/registry.ollama.ai/library/m/latest"), JSON.stringify({ layers }));
  }),
  "a model of LM Studio": foreign("lmstudio", "org/repo/x.gguf"),
  "the revision of a cache": foreign("hf", "models--org--repo/refs/main", (folder) =>
    put(join(folder, "models--org--repo/snapshots/r1/x.gguf"), modelBytes()),
  ),
  "a model of a cache": foreign("hf", "models--org--repo/snapshots/r1/x.gguf"),
  "the token of the hub": {
    file: "token",
    read: (path) => expect(readHubSettings({ HF_TOKEN_PATH: path }, "/nowhere").token).toBeNull(),
  },
  "the lock of a download": {
    file: ".x.gguf.lock",
    read: async (path) => {
      const signal = AbortSignal.timeout(500);
      await (await takeLock(path, { clock: systemClock, newId: () => "1" }, signal)).release();
    },
  },
  "the state of a download": {
    file: ".x.gguf.partial.json",
    read: (_, folder) => bytesSoFar(join(folder, "x.gguf")),
  },
  "the part of a download": {
    file: ".x.gguf.partial",
    read: async (_, folder) => (await openPartial(join(folder, "x.gguf"), null, 10)).close(),
  },
  "the configuration": { file: "hearth.yaml", read: (path) => readConfigFile(path) },
  "a secret": { file: "secret", read: (path) => readSecret("HEARTH_API_KEY_FILE", path) },
  "a certificate": {
    file: "cert.pem",
    read: (path) => openTls({ certFile: path, keyFile: path }, { clock, logger }),
  },
  "the authority of a database": {
    file: "ca.pem",
    read: (path) => parsePostgresUrl(`postgres://h/d?sslmode=verify-full&sslrootcert=${path}`),
  },
  "the authority of a mail server": {
    file: "ca.pem",
    read: (path) => {
      const sender = createEmailSender({ url: "smtps://127.0.0.1:1", from: "a@b.example", caFile: path });
      const message = {
        id: "1",
        target: "c@d.example",
        body: JSON.stringify({ type: "alert.raised", data: { details: {} } }),
      };
      return sender.send(message as never, new AbortController().signal);
    },
  },
  "a backup": {
    file: "backup.tar.gz",
    read: (path) => extractArchive(path, temporaryFolder(), () => undefined),
  },
  "the input of a batch": { file: "batch.jsonl", read: (path) => readFirstUrl(path) },
};

/** What is not read as a whole may be huge. */
const anySize = new Set(["weights whose digest is checked", "a backup"]);

describe.each(Object.entries(places))("C12: in the place of %s", (name, { file, read }) => {
  const fitting = Object.entries(kinds).filter(([kind]) => kind !== "huge file" || !anySize.has(name));
  it.each(fitting)("a %s holds nothing", async (_kind, make) => {
    const folder = temporaryFolder();
    const path = join(folder, file);
    mkdirSync(dirname(path), { recursive: true });
    await make(path);
    const before = process.memoryUsage().arrayBuffers;
    await Promise.resolve()
      .then(() => read(path, folder))
      .catch((thrown: unknown) => {
        // What is expected of the rest of a folder is no reason to end.
        if (thrown instanceof Error && thrown.name === "AssertionError") throw thrown;
      });
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(200 * 1024 * 1024);
    rmSync(folder, { recursive: true, force: true });
  });
});
