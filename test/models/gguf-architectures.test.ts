import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { architectures } from "../../src/models/gguf/check.js";
import { root } from "../kit/folder.js";

const platform = `linux-${process.arch}`;
const folder = join(root, "node_modules/@node-llama-cpp", platform, "bins", platform);
const library = existsSync(folder) ? readdirSync(folder).find((name) => name.startsWith("libllama.")) : null;

/** The architectures end with a NUL each; the linker may put one into the end of another, such as bert into modern-bert. */
describe.runIf(typeof library === "string")("the architectures that are known before a load", () => {
  const bytes = typeof library === "string" ? readFileSync(join(folder, library)).toString("latin1") : "";

  it("are all those of the installed llama.cpp, so that no file is refused that it can load", () => {
    const from = bytes.indexOf("\0clip\0llama\0");
    const table = bytes.slice(from, bytes.indexOf("\0(unknown)\0", from)).split("\0");
    const named = table.filter((name) => name !== "" && name !== "clip");
    expect(named.length).toBeGreaterThan(100);
    expect(named.filter((name) => !architectures.has(name))).toEqual([]);
  });

  it("are no others", () => {
    expect([...architectures].filter((name) => !bytes.includes(`${name}\0`))).toEqual([]);
  });
});
