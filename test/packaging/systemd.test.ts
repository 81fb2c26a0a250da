import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { loadConfig } from "../../src/config/config.js";
import { root } from "../kit/folder.js";
import { runProgram } from "../kit/program.js";

const unitPath = join(root, "packaging/hearth.service");
const unit = readFileSync(unitPath, "utf8");
const installed = "/opt/hearth/";
const exposureMax = 3;
/** What closing takes at most after the grace time. */
const closeMsMax = 12_000;

/** The first version that checks the security of a file. */
const systemdMin = 250;
const systemd = /^systemd (\d+)/.exec(
  spawnSync("systemd-analyze", ["--version"], { encoding: "utf8" }).stdout ?? "",
);
const isInstalled = Number(systemd?.[1] ?? 0) >= systemdMin;
const where = isInstalled ? "" : ` (systemd-analyze ${systemdMin} is not installed: not checked)`;

/** Returns the values of an option, in order. */
function values(option: string): string[] {
  return [...unit.matchAll(new RegExp(`^${option}=(.*)$`, "gm"))].map(([, value = ""]) => value);
}

describe("packaging/hearth.service", () => {
  it(`is a unit without errors${where}`, () => {
    const verify = spawnSync("systemd-analyze", ["verify", unitPath], { encoding: "utf8" });
    expect(isInstalled ? `${verify.status}${verify.stderr}` : "0").toBe("0");
  });

  it(`has an exposure of ${exposureMax} at most${where}`, () => {
    const args = ["security", "--offline=true", "--no-pager", unitPath];
    const { stdout } = spawnSync("systemd-analyze", args, { encoding: "utf8" });
    const exposure = Number(/exposure level for hearth\.service: ([\d.]+)/.exec(stdout)?.[1]);
    expect(isInstalled ? exposure : 0).toBeLessThanOrEqual(exposureMax);
  });

  it("names files that an install has, and a command with options that exist", async () => {
    const [, program = "", ...args] = (values("ExecStart")[0] ?? "").split(" ").slice(0);
    expect(program).toBe("node");
    const [file = "", ...command] = args;
    expect([file, values("Documentation")[0]?.replace("file://", "")]).toEqual([
      `${installed}dist/main.js`,
      `${installed}src/docs/install.md`,
    ]);
    expect(existsSync(join(root, file.slice(installed.length)))).toBe(true);
    expect(existsSync(join(root, "src/docs/install.md"))).toBe(true);
    const help = runProgram([...command, "--help"], {});
    expect(await help.exited).toBe(0);
    expect(help.stdout()).toContain(`hearth ${command.join(" ")} `);
  });

  it("keeps data and models in folders that systemd creates", () => {
    const folders = (values("StateDirectory")[0] ?? "").split(" ").map((name) => `/var/lib/${name}`);
    const settings = (values("Environment")[0] ?? "").split(" ").map((setting) => setting.split("="));
    const { HEARTH_DATA, HEARTH_MODELS } = z
      .record(z.string(), z.string())
      .parse(Object.fromEntries(settings));
    expect([values("WorkingDirectory")[0], HEARTH_DATA, HEARTH_MODELS]).toEqual(folders);
    expect(values("StateDirectoryMode")).toEqual(["0700"]);
  });

  it("waits longer for the end than the server takes, and lets V8 compile", () => {
    const { config } = loadConfig({}, null);
    const stopMs = Number(values("TimeoutStopSec")[0]) * 1000;
    expect(stopMs).toBeGreaterThan(config.shutdownGraceMs + closeMsMax);
    expect(values("MemoryDenyWriteExecute")).toEqual([]);
  });

  it("allows the system call with which image description lowers its priority", () => {
    expect(values("SystemCallFilter").at(-1)).toBe("setpriority");
  });
});
