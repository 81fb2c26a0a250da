import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { affectedTests, changedFiles } from "../../scripts/check/affected.mjs";
import { plantFiles } from "../kit/folder.js";

const files = {
  "src/core/money.ts": "export const ticks = 1;",
  "src/cli/keys.ts": `import { ticks } from "../core/money.js"; export const keys = ticks;`,
  "src/main.ts": `import { keys } from "./cli/keys.js"; export const main = keys;`,
  "src/engine/worker.ts": "export {};",
  "test/harness.ts": `export const program = "dist/main.js";`,
  "test/money.test.ts": `import { ticks } from "../src/core/money.js"; export { ticks };`,
  "test/process.test.ts": `import { program } from "./harness.js"; export { program };`,
  "test/worker.test.ts": `export const url = new URL("../dist/engine/worker.js", import.meta.url);`,
  "test/wire.test.ts":
    "export const read = (name: string) => new URL(`./fixtures/chat/${name}`, import.meta.url);",
  "test/fixtures/chat/hello.json": "{}",
  "test/tidy.test.ts": "export {};",
};

function checkout(): { root: string; git: (...args: string[]) => string } {
  const root = plantFiles(files);
  const git = (...args: string[]): string =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b.c", ...args], {
      cwd: root,
      encoding: "utf8",
    });
  git("init", "-q");
  git("add", "-A");
  git("commit", "-qm", "test: first");
  return { root, git };
}

describe("the tests that a change can affect", () => {
  it.each([
    ["a file that a test imports through others", "src/core/money.ts", ["money", "process"]],
    ["a source file of the compiled program that a test starts", "src/cli/keys.ts", ["process"]],
    ["a source file of a compiled worker that a test names", "src/engine/worker.ts", ["worker"]],
    ["a fixture whose name a test completes", "test/fixtures/chat/hello.json", ["wire"]],
    ["the test itself", "test/money.test.ts", ["money"]],
    ["a file that nothing imports", "README.md", []],
    ["the list of packages", "package.json", ["money", "process", "wire", "worker"]],
  ])("are those that reach %s, and those that read the whole checkout", (_what, changed, names) => {
    const { root } = checkout();
    const expected = ["tidy", ...names].map((name) => `test/${name}.test.ts`).sort();
    expect(affectedTests(root, [changed])).toEqual(expected);
  });

  it("are none where nothing has changed", () => {
    const { root } = checkout();
    expect(affectedTests(root, [])).toEqual([]);
  });
});

describe("the files changed since a commit", () => {
  it("are those that differ in the working tree or in later commits, and untracked ones", () => {
    const { root, git } = checkout();
    git("rm", "-q", "src/engine/worker.ts");
    git("commit", "-qm", "engine: no worker");
    execFileSync("sh", ["-c", "echo 'export {};' > src/new.ts; echo 'export {};' > src/main.ts"], {
      cwd: root,
    });
    expect(changedFiles(root, "HEAD")).toEqual(["src/main.ts", "src/new.ts"]);
    expect(changedFiles(root, "HEAD~1")).toEqual(["src/engine/worker.ts", "src/main.ts", "src/new.ts"]);
  });

  it("cannot be found since a commit that does not exist", () => {
    const { root } = checkout();
    expect(() => changedFiles(root, "no-such-commit")).toThrow("no-such-commit");
  });
});
