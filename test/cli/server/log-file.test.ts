import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openLogFile } from "../../../src/cli/server/serve.js";
import { formatLogLine } from "../../../src/cli/server/logs.js";
import { temporaryFolder } from "../../kit/folder.js";

it("creates nothing before the first line, and keeps the newest lines in at most two files of half the bytes each", () => {
  const data = join(temporaryFolder(), "data");
  const log = openLogFile({ data }, 1000);
  expect(existsSync(data)).toBe(false);
  const lines = Array.from({ length: 100 }, (_, index) => `{"line":${String(index).padStart(5, "0")}}\n`);
  lines.forEach((line) => log.write(line));
  const [former, now] = ["hearth.1.log", "hearth.log"].map((name) => join(data, "logs", name));
  expect(statSync(now ?? "").mode & 0o777).toBe(0o600);
  const kept = [former ?? "", now ?? ""].map((file) => readFileSync(file, "utf8"));
  expect(Math.max(...kept.map((text) => text.length))).toBeLessThanOrEqual(500);
  expect(lines.join("").endsWith(kept.join(""))).toBe(true);
  expect(kept.join("").length).toBeGreaterThan(500);
});

it("a folder that takes no log does not disturb the server", () => {
  const data = temporaryFolder();
  writeFileSync(join(data, "logs"), "a file where the folder should be");
  expect(() => openLogFile({ data }, 1000).write("{}\n")).not.toThrow();
});

it("shows a line as its time, level, message and fields, and a line that is no JSON as it is", () => {
  const line = {
    level: 50,
    time: 0,
    pid: 1,
    hostname: "a",
    err: { message: "no disk" },
    path: "/v1",
    msg: "failed",
  };
  expect(formatLogLine(JSON.stringify(line))).toBe(
    '1970-01-01T00:00:00Z error failed err="no disk" path=/v1',
  );
  expect(formatLogLine("plain text")).toBe("plain text");
});
