import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import { describe, expect, it } from "vitest";
import { addNextSteps } from "../../src/cli/next-step.js";
import { temporaryFolder } from "../kit/folder.js";
import { hasTerminal, openTerminal, withoutTerminal } from "../kit/terminal.js";
import { commandEnvironment } from "./models/environment.js";

const line = "Next: `hearth usage --by key` shows what each key has used.\n";

/** Runs commands that do nothing. @returns what was written */
async function written(data: string, words: readonly string[], isTTY = true): Promise<string> {
  let text = "";
  const program = new Command("hearth");
  const keys = program.command("keys");
  const act = (): void => undefined;
  for (const name of ["create", "ls"]) keys.command(name).option("--json").action(act);
  program.command("pull").action(() => {
    throw new Error("failed");
  });
  addNextSteps(program, () => Promise.resolve({ config: { data } }), {
    isTTY,
    write: (part) => (text += part),
  });
  await program.parseAsync(words, { from: "user" }).catch(() => undefined);
  return text;
}

describe("the line after a first key", () => {
  it("comes once, on a terminal, after success, and not between lines of JSON", async () => {
    const data = join(temporaryFolder(), "data");
    expect(await written(data, ["keys", "create"], false)).toBe("");
    expect(await written(data, ["keys", "create", "--json"])).toBe("");
    expect(await written(data, ["keys", "ls"])).toBe("");
    expect(await written(data, ["pull"])).toBe("");
    expect(await written(data, ["keys", "create"])).toBe(line);
    expect(await written(data, ["keys", "create"])).toBe("");
    expect(JSON.parse(readFileSync(join(data, "next-steps-shown.json"), "utf8"))).toEqual(["keys create"]);
  });

  it.runIf(hasTerminal)(
    `fits a terminal of 80 columns, as after a first chat${withoutTerminal}`,
    async () => {
      const { environment } = commandEnvironment();
      const terminal = openTerminal(["keys", "create", "--acl", "api-key:endpoint:*"], { environment });
      expect(await terminal.exited).toBe(0);
      expect(terminal.shown()).toContain(line.trim());
      const chat = openTerminal(["run", "hearth-tiny-5m", "Hello!"], {
        environment: commandEnvironment().environment,
      });
      expect(await chat.exited).toBe(0);
      expect(chat.shown()).toMatch(/^Next: .+ a key\.$/m);
    },
  );
});
