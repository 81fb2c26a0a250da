import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { describe, expect, it } from "vitest";
import { renderManPage } from "../../src/cli/man-page.js";
import { commandTree } from "../kit/command-tree.js";
import { root } from "../kit/folder.js";
import { runProgram } from "../kit/program.js";

const program = commandTree();
const hasMan = spawnSync("man", ["--version"]).status === 0;

/** Returns the commands that a person sees, with those below them. */
function visible(command: Command): readonly Command[] {
  const below = command.createHelp().visibleCommands(command);
  return below.filter((each) => each.name() !== "help").flatMap((each) => [each, ...visible(each)]);
}

describe("the manual page", () => {
  it("has every command that does something, with each of its options and arguments", () => {
    const page = renderManPage(program).replaceAll("\\-", "-");
    for (const command of visible(program)) {
      if (visible(command).length > 0) continue;
      const help = command.createHelp();
      const [, part = ""] = page.split(`.SS ${help.commandUsage(command)}\n`);
      const own = part.split("\n.SS ")[0] ?? "";
      expect([help.commandUsage(command), own.includes(command.description())]).toEqual([
        help.commandUsage(command),
        true,
      ]);
      for (const { long } of command.options.filter(({ hidden }) => !hidden))
        expect(own).toContain(long ?? "");
    }
  });

  it("is what the build has written and the package names", async () => {
    const run = runProgram(["man"], {});
    expect(await run.exited).toBe(0);
    expect(readFileSync(join(root, "dist/man/hearth.1"), "utf8")).toBe(run.stdout());
  });

  it.runIf(hasMan)(
    `is shown by man without a warning${hasMan ? "" : " (not run: apt-get install man-db)"}`,
    () => {
      const file = join(root, "dist/man/hearth.1");
      const { stderr } = spawnSync("man", ["--warnings", "-l", file], {
        encoding: "utf8",
        env: { ...process.env, MANWIDTH: "80" },
      });
      expect(stderr).toBe("");
      const shown = execFileSync("man", ["-l", file], {
        encoding: "utf8",
        env: { ...process.env, MANWIDTH: "80" },
      });
      // Bold letters are written twice.
      expect(
        shown
          .split("\b")
          .map((part) => part.slice(0, -1))
          .join(""),
      ).toMatch(/hearth keys create/);
    },
  );
});
