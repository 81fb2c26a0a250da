import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { replaceFile, replaceFileSync } from "../../src/system/replace-file.js";
import { temporaryFolder } from "../kit/folder.js";

/** Fails a number of times as Windows does while a virus scanner reads the file. */
function attempts(platform: NodeJS.Platform, failures: number, code: string) {
  const seen: string[] = [];
  const move = (from: string, to: string): void => {
    seen.push(`${from} ${to}`);
    if (seen.filter((each) => each === `${from} ${to}`).length <= failures)
      throw Object.assign(new Error("refused"), { code });
  };
  const wait = (ms: number): void => void seen.push(String(ms));
  return { seen, platform, move, wait };
}

const moved = "a b";

describe("a file that replaces another one", () => {
  it.each<[string, NodeJS.Platform, number, string, readonly string[], boolean]>([
    [
      "is moved once it is no longer open on Windows",
      "win32",
      2,
      "EPERM",
      [moved, "10", moved, "20", moved],
      true,
    ],
    ["is not awaited on other systems", "linux", 1, "EPERM", [moved], false],
    ["is not awaited where the disk is full", "win32", 1, "ENOSPC", [moved], false],
  ])("%s", async (_, platform, failures, code, expected, isMoved) => {
    const blocking = attempts(platform, failures, code);
    const waiting = attempts(platform, failures, code);
    const later = {
      platform,
      move: async (from: string, to: string) => waiting.move(from, to),
      wait: async (ms: number) => waiting.wait(ms),
    };
    const ends = (): boolean => {
      try {
        replaceFileSync("a", "b", blocking);
        return true;
      } catch {
        return false;
      }
    };
    expect(ends()).toBe(isMoved);
    expect(
      await replaceFile("a", "b", later).then(
        () => true,
        () => false,
      ),
    ).toBe(isMoved);
    expect([blocking.seen, waiting.seen]).toEqual([expected, expected]);
  });

  it("is not awaited for ever: the error of the last attempt is reported", async () => {
    const { seen, ...stuck } = attempts("win32", Infinity, "EBUSY");
    expect(() => replaceFileSync("a", "b", stuck)).toThrow("refused");
    expect(seen.filter((each) => each === moved)).toHaveLength(7);
  });

  it("has the new content afterwards", async () => {
    const [from, to] = [join(temporaryFolder(), "new"), join(temporaryFolder(), "old")];
    for (const content of ["one", "two"]) {
      writeFileSync(from, content);
      await replaceFile(from, to);
      expect(readFileSync(to, "utf8")).toBe(content);
    }
  });
});
