/** Every listing of a real server, on a terminal of 80 columns. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { listCommands } from "../../../src/cli/examples.js";
import { measureText } from "../../../src/cli/text-width.js";
import { runCommand } from "../../kit/command.js";
import { commandTree } from "../../kit/command-tree.js";
import { temporaryFolder } from "../../kit/folder.js";
import { runProgram, startProcess } from "../../kit/program.js";
import { builtInModel, testKey } from "../../kit/server/settings.js";
import { hasTerminal, openTerminal, withoutTerminal } from "../../kit/terminal.js";

const columns = 80;
const listings = listCommands(commandTree())
  .filter(([, command]) => command.options.some(({ long }) => long === "--wide"))
  // Changes print tables, too; they need something to change.
  .filter(([, { options, registeredArguments: expected }]) =>
    [...expected.map(({ required }) => required), ...options.map(({ mandatory }) => mandatory)].every(
      (needed) => !needed,
    ),
  )
  .map(([path]) => path);

/** Starts a server with an empty data folder. */
async function startEmpty() {
  const folder = temporaryFolder();
  const settings = {
    HEARTH_DATA: join(folder, "data"),
    HEARTH_MODELS: join(folder, "models"),
    HEARTH_API_KEY: testKey,
    HEARTH_SMTP_URL: "smtp://127.0.0.1:9",
    HEARTH_SMTP_FROM: "hearth@example.com",
  };
  mkdirSync(settings.HEARTH_MODELS);
  const { url } = await startProcess(settings);
  return { folder, environment: { ...settings, HEARTH_PORT: new URL(url).port } };
}

/** Returns what each listing shows on a terminal, and what breaks the rules for all. */
async function showAll(environment: NodeJS.ProcessEnv) {
  const shown = new Map<string, string>();
  const problems: string[] = [];
  for (const path of listings) {
    const { code, out, err } = await runCommand(path.split(" "), environment, columns);
    const all = out + err;
    // What the terminal would wrap.
    const wide = all.split("\n").filter((line) => measureText(line) > columns);
    if (code !== 0) problems.push(`${path} ended with ${code}: ${all}`);
    if (all.trim() === "") problems.push(`${path} says nothing`);
    shown.set(path, all);
    // A sentence may be wrapped at the edge; a table, which has several columns, may not.
    problems.push(...wide.filter((line) => / {3}/.test(line)).map((line) => `${path} is too wide: ${line}`));
  }
  return { shown, problems };
}

describe("every listing on a terminal of 80 columns", () => {
  it("says what to do next where it is empty", async () => {
    const { environment } = await startEmpty();
    const { shown, problems } = await showAll(environment);
    expect(problems).toEqual([]);
    const empty = [...shown].filter(([, text]) => !/ {3}/.test(text));
    expect(empty.length).toBeGreaterThan(10);
    expect(empty.filter(([, text]) => !/`?hearth [a-z]|--[a-z]/.test(text))).toEqual([]);
  });

  it("fits, with long names, texts and numbers in its rows", async () => {
    const { folder, environment } = await startEmpty();
    const long = "research on languages of the northern islands";
    const requests = join(folder, "requests.jsonl");
    writeFileSync(requests, `${JSON.stringify(batchLine)}\n`);
    for (const words of [
      ["teams", "create", long],
      ["keys", "create", "--name", "the laptop of somebody with a long name", "--team", long],
      ["members", "add", "somebody.with.a.long.name@department.university.example.com", "--team", long],
      ["groups", "create", "everything-that-students-may-call", "--acl", "api-key:endpoint:chat"],
      ["management-keys", "create", "--name", "the nightly backup of the department"],
      ["credits", "add", long, "123456.78", "--note", "an invoice with a long text in its note"],
      ["budgets", "set", "--team", long, "--period", "month", "--hard-usd", "98765.43"],
      ["alias", "a-model-that-has-a-long-name-of-its-own", builtInModel],
      ["prices", "set", builtInModel, "--prompt", "0.15", "--completion", "0.6"],
      ["prices", "compare", "set", "a-hosted-model-with-a-long-name", "--prompt", "1", "--completion", "2"],
      ["alerts", "add", "--email", "somebody.with.a.long.name@department.university.example.com"],
      ["files", "upload", requests],
      ["batches", "create", requests],
    ])
      expect([words, await runCommand(words, environment)]).toEqual([
        words,
        expect.objectContaining({ code: 0 }),
      ]);
    const run = runProgram(["run", builtInModel, "What is 3 plus 4?"], environment);
    run.child.stdin?.end();
    expect(await run.exited).toBe(0);
    const { shown, problems } = await showAll(environment);
    expect(problems).toEqual([]);
    const rows = [...shown].filter(
      ([, text]) => text.split("\n").filter((line) => / {3}/.test(line)).length > 1,
    );
    expect(rows.length).toBeGreaterThan(10);
  });

  it.runIf(hasTerminal)(`looks the same on a real one${withoutTerminal}`, async () => {
    const { environment } = await startEmpty();
    await runCommand(["teams", "create", "research on languages of the northern islands"], environment);
    const terminal = openTerminal(["teams", "ls"], { environment });
    expect(await terminal.exited).toBe(0);
    const { out } = await runCommand(["teams", "ls"], environment, columns);
    expect(terminal.written().replaceAll("\r\n", "\n")).toBe(out);
  });
});

const batchLine = {
  custom_id: "a-line-with-a-long-name",
  method: "POST",
  url: "/v1/chat/completions",
  body: { model: builtInModel, messages: [{ role: "user", content: "Hello!" }], max_tokens: 2 },
};
