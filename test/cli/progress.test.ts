import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Command } from "commander";
import { describe, expect, it } from "vitest";
import { createBackup } from "../../src/backup/create.js";
import { restoreBackup } from "../../src/backup/restore.js";
import { addBackupCommands } from "../../src/cli/backup/backup.js";
import { createProgressWriter, type ProgressStep } from "../../src/cli/progress.js";
import { loadConfig } from "../../src/config/config.js";
import { backupOf, teamsIn, usedFolder } from "../end-to-end/backup/backups.js";
import { createManualClock } from "../kit/manual-clock.js";
import { temporaryFolder } from "../kit/folder.js";

const step = (done: number, phase = "copying"): ProgressStep => ({ phase, done, total: 100, unit: "rows" });

/** Returns an output and what was written to it. */
function output(isTTY: boolean, columns = 60) {
  const written: string[] = [];
  return { written, out: { isTTY, columns, write: (text: string) => written.push(text) } };
}

describe("the progress of a command", () => {
  it("is nothing for two seconds where there is no terminal, then a line for each phase and tenth", () => {
    const { written, out } = output(false);
    const clock = createManualClock(0);
    const writer = createProgressWriter(out, { isQuiet: false, clock });
    writer.show(step(1));
    clock.advance(2001);
    [1, 5, 9, 10, 11, 20].forEach((done) => writer.show(step(done)));
    writer.show(step(0, "checking"));
    writer.clear();
    expect(written).toEqual([
      "copying  1 %  1 of 100 rows\n",
      "copying  10 %  10 of 100 rows\n",
      "copying  20 %  20 of 100 rows\n",
      "checking  0 %  0 of 100 rows\n",
    ]);
  });

  it("is one line on a terminal, which never reaches its edge and is removed at the end", () => {
    const { written, out } = output(true);
    const writer = createProgressWriter(out, { isQuiet: false, clock: createManualClock(0) });
    [0, 50, 50, 100].forEach((done) => writer.show(step(done)));
    writer.show({
      phase: "a phase whose name is longer than the whole line of this narrow terminal",
      done: 0,
      total: 0,
      unit: "rows",
    });
    writer.clear();
    writer.clear();
    const lines = written.map((text) => text.replace("\r\u001b[K", ""));
    expect(lines).toEqual([
      expect.stringMatching(/^copying {2}\[-+\] {4}0 % {2}0 of 100 rows$/),
      expect.stringMatching(/^copying {2}\[#+-+\] {3}50 % {2}50 of 100 rows$/),
      expect.stringMatching(/^copying {2}\[?#*\]? *100 % {2}100 of 100 rows$/),
      expect.stringMatching(/^a phase whose name/),
      "",
    ]);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(60);
  });

  it("is the bytes so far where nobody knows how many there are", () => {
    const { written, out } = output(true);
    const writer = createProgressWriter(out, { isQuiet: false, clock: null });
    writer.show({ phase: "writing results.jsonl", done: 2_500_000, total: 0, unit: "bytes" });
    expect(written.join("")).toBe("\r\u001b[Kwriting results.jsonl  2.5 MB");
  });

  it("is nothing with --quiet", () => {
    const { written, out } = output(true);
    const writer = createProgressWriter(out, { isQuiet: true, clock: null });
    writer.show(step(1));
    writer.leave();
    expect(written).toEqual([]);
  });
});

/** Runs a command of backups whose user presses Ctrl-C at a phase. @returns its error */
async function stoppedAt(data: string, phase: string, ...args: readonly string[]): Promise<string> {
  const config = loadConfig({ HEARTH_DATA: data }).config;
  let interrupt = (): void => undefined;
  const program = new Command("hearth").exitOverride();
  const at = (shown: string): void => {
    if (shown.includes(phase)) interrupt();
  };
  addBackupCommands(program, {
    create: (file, options) => createBackup(config, file, options),
    restore: (file, options) => restoreBackup(config, file, options),
    clock: createManualClock(0),
    out: { write: () => undefined },
    err: { isTTY: true, write: at },
    onInterrupt(action) {
      interrupt = action;
      return () => undefined;
    },
  });
  return program.parseAsync(args, { from: "user" }).then(
    () => "done",
    (thrown: unknown) => (thrown instanceof Error ? thrown.message : String(thrown)),
  );
}

describe("Ctrl-C without harm", () => {
  it.each(["copying the database", "writing", "verifying"])(
    "backup, while it is %s: nothing of the new file is left",
    async (phase) => {
      const file = join(temporaryFolder(), "backup.tar.gz");
      expect(await stoppedAt(await usedFolder(), phase, "backup", file)).toBe(
        `stopped; ${file} was not written`,
      );
      expect(readdirSync(dirname(file))).toEqual([]);
    },
  );

  it.each(["reading", "recomputing the ledger"])(
    "restore, while it is %s: the data folder is as before, and the restore can be repeated",
    async (phase) => {
      const file = await backupOf(await usedFolder("team-of-the-backup"));
      const data = await usedFolder("team-of-today");
      const before = readFileSync(join(data, "first-key"), "utf8");
      expect(await stoppedAt(data, phase, "restore", file)).toMatch(/^stopped; nothing was restored/);
      expect(readFileSync(join(data, "first-key"), "utf8")).toBe(before);
      expect(await teamsIn(data)).toEqual(["team-of-today"]);
      expect(existsSync(join(data, "restore-unverified"))).toBe(false);
      expect(await stoppedAt(data, "none", "restore", file)).toBe("done");
      expect(await teamsIn(data)).toEqual(["team-of-the-backup"]);
    },
  );
});
