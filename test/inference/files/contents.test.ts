import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createFileContents } from "../../../src/inference/files/contents.js";
import { temporaryFolder } from "../../kit/folder.js";

const id = `file-${"0".repeat(32)}`;

describe("the content of a file", () => {
  it("leaves nothing when the disk fails after it has its name, and can be written again", async () => {
    const folder = join(temporaryFolder(), "files");
    let failing = true;
    const contents = createFileContents(folder, () =>
      failing ? Promise.reject(new Error("disk failed")) : Promise.resolve(),
    );
    const writer = await contents.create(id);
    await writer.write(Buffer.from("Hello"));
    await expect(writer.finish()).rejects.toThrow("disk failed");
    expect(readdirSync(folder)).toEqual([id]);
    await writer.discard();
    expect(readdirSync(folder)).toEqual([]);
    failing = false;
    const again = await contents.create(id);
    await again.finish();
    await again.discard();
    expect(await contents.names(Infinity)).toEqual([id]);
  });

  it("is in a folder that need not exist, but whose names are not taken for none when it cannot be read", async () => {
    const folder = join(temporaryFolder(), "files");
    expect(await createFileContents(folder).names(Infinity)).toEqual([]);
    expect(existsSync(folder)).toBe(false);
    writeFileSync(folder, "");
    await expect(createFileContents(folder).names(Infinity)).rejects.toThrow("ENOTDIR");
  });
});
