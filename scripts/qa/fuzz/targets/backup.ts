import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { toBackupManifest } from "../../../../src/backup/manifest.js";
import { extractArchive } from "../../../../src/backup/read-archive.js";
import { blockBytes, writeArchive } from "../../../../src/backup/write-archive.js";
import { check } from "../../checks/violation.js";
import { toLabel, type FuzzTarget } from "../target.js";

/** In the folder of the process, which is removed after it. */
const folder = join(process.cwd(), "fuzzed-backup");
const archive = join(folder, "archive");
const extracted = join(folder, "extracted");
const allowedNames =
  /^(hearth\.db|first-key|first-management-key|model-settings\.yaml|images|images\/[\w.-]+|files|files\/file-[0-9a-f]{32})$/;
const imageName = `${"a".repeat(32)}.png`;
const fileName = `file-${"b".repeat(32)}`;

/** Archives as `hearth backup` writes them, not compressed. */
async function seeds(): Promise<readonly Uint8Array[]> {
  const parts = ["hearth.db", "first-key", `images/${imageName}`, `files/${fileName}`];
  return [await written(parts.slice(0, 1)), await written(parts), Buffer.alloc(2 * blockBytes)];
}

async function written(names: readonly string[]): Promise<Uint8Array> {
  freshFolder();
  const files = names.map((name, index) => ({ name, path: join(folder, `part-${index}`) }));
  for (const { name, path } of files) writeFileSync(path, `the content of ${name}`);
  const about = { hearth: "0.1.0", schema: 1, created: "2026-01-01T00:00:00.000Z" };
  await writeArchive(
    archive,
    files,
    (parts) => toBackupManifest({ ...about, parts: [...parts] }),
    () => undefined,
  );
  return gunzipSync(readFileSync(archive));
}

function freshFolder(): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(extracted, { recursive: true });
}

/** Corrects the checksum of every header, without which a changed one would be refused for that alone. */
function withChecksums(input: Uint8Array): Buffer {
  const tar = Buffer.from(input);
  for (let at = 0; at + blockBytes <= tar.length; at += blockBytes) {
    const block = tar.subarray(at, at + blockBytes);
    if (block.toString("latin1", 257, 262) !== "ustar") continue;
    block.fill(" ", 148, 156);
    const sum = block.reduce((total, byte) => total + byte, 0);
    block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  }
  return tar;
}

export const target: FuzzTarget = {
  guarantee: "a backup gives the files that its manifest names, or a stated reason; nothing else is written",
  format: "bytes",
  bytesMax: 8192,
  msMax: 5000,
  corpus: "backup",
  seeds,
  words: [
    "ustar",
    "manifest.json",
    "../hearth.db",
    "/etc/passwd",
    "images/../first-key",
    "files/../first-key",
    "PaxHeader/x",
  ],
  async run(input) {
    freshFolder();
    writeFileSync(archive, gzipSync(withChecksums(input), { level: 1 }));
    const outcome = await extractArchive(archive, extracted, () => undefined).catch(
      (thrown: unknown) => thrown,
    );
    check(
      readdirSync(folder).toSorted().join() === "archive,extracted",
      () => "something was written beside the folder",
    );
    const found = readdirSync(extracted, { recursive: true, encoding: "utf8" });
    for (const name of found) check(allowedNames.test(name), () => `it wrote ${name}`);
    if (outcome instanceof Error) {
      check(/^(it|its) [\x20-\x7e]{1,300}$/.test(outcome.message), () => `the reason: ${outcome.message}`);
      return toLabel(outcome.message);
    }
    const { parts } = outcome as Awaited<ReturnType<typeof extractArchive>>;
    const files = found.filter((name) => name !== "images" && name !== "files");
    check(parts.length === files.length, () => `${files.length} files, ${parts.length} parts`);
    for (const { name, bytes, sha256 } of parts) {
      const content = readFileSync(join(extracted, name));
      const hash = createHash("sha256").update(content).digest("hex");
      check(content.length === bytes && hash === sha256, () => `${name} is not what the manifest names`);
    }
    return "accepted";
  },
};
