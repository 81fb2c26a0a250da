import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { describe, expect, it } from "vitest";
import { root, temporaryFolder } from "../kit/folder.js";
import { runProgram } from "../kit/program.js";
import { commandEnvironment } from "./models/environment.js";

type Environment = ReturnType<typeof commandEnvironment>["environment"];

async function output(args: readonly string[], environment: Environment): Promise<string> {
  const run = runProgram(args, environment);
  expect(await run.exited).toBe(0);
  expect(run.stderr()).toBe("");
  return run.stdout();
}

/** Returns the candidates for the last word, without their descriptions. */
async function candidates(environment: Environment, ...words: string[]): Promise<readonly string[]> {
  const lines = (await output(["complete", "--", ...words], environment)).split("\n").filter(Boolean);
  return lines.map((line) => line.split("\t")[0] ?? "");
}

describe("the words that can follow", () => {
  it.each([
    [["sto"], ["stop"]],
    [["--"], ["--version", "--config", "--help"]],
    [["keys", "rot"], ["rotate"]],
    [["prices", "compare", "s"], ["set"]],
    [
      ["teams", "limits", "--q"],
      ["--qps", "--qpm", "--quiet"],
    ],
    [["--config", "other.yaml", "audit", "--l"], ["--limit"]],
    [["usage", "--by", "m"], ["model"]],
    [
      ["import", "--from", ""],
      ["ollama", "lmstudio", "hf"],
    ],
    [["usage", "--by=day", "--js"], ["--json"]],
    [
      ["completion", ""],
      ["bash", "zsh", "fish"],
    ],
    [["keys", "ls", "--", "--"], []],
    [["keys", "create", "--name", ""], []],
    [["serve", ""], []],
    [["start", "--config", ""], [":files"]],
    [["import", "--from", "hf", "--dry-run", ""], [":files"]],
  ])("%j: %j", async (words, expected) => {
    const { environment } = commandEnvironment();
    expect(await candidates(environment, ...words)).toEqual(expected);
  });
});

describe("names", () => {
  it("are those of the models of this machine, of their aliases, and of no pattern", async () => {
    const { environment, gguf, hearth } = commandEnvironment();
    gguf("models/zeta.gguf");
    await hearth("alias", "gpt-4o-mini", "zeta");
    await hearth("alias", "gpt-5*", "zeta");
    for (const words of [["show"], ["rm", "other"], ["set"], ["teams", "limits", "--model"]]) {
      expect(await candidates(environment, ...words, "z")).toEqual(["zeta"]);
      expect(await candidates(environment, ...words, "gpt")).toEqual(["gpt-4o-mini"]);
    }
    // The second word of set is a setting.
    expect(await candidates(environment, "set", "zeta", "z")).toEqual([]);
  });

  it("are those of teams, and the ids of keys, once there is a database; a look does not create one", async () => {
    const { environment, folder } = commandEnvironment();
    expect(await candidates(environment, "keys", "rm", "")).toEqual([]);
    expect(existsSync(join(folder, "data"))).toBe(false);
    await output(["teams", "create", "Red team"], environment);
    const created = ["keys", "create", "--team", "Red team", "--acl", "api-key:endpoint:chat", "--json"];
    const { apiKeyId } = JSON.parse(await output(created, environment)) as { readonly apiKeyId: string };
    expect(await candidates(environment, "credits", "add", "R")).toEqual(["Red team"]);
    expect(await candidates(environment, "keys", "ls", "--team", "R")).toEqual(["Red team"]);
    expect(await candidates(environment, "keys", "rm", "other", "")).toEqual([apiKeyId]);
    expect(await candidates(environment, "management-keys", "rm", "")).toEqual([]);
  });

  it("are those of access groups, where one is changed or deleted and not where one is created", async () => {
    const { environment } = commandEnvironment();
    for (const name of ["small-models", "small-images", "all"])
      await output(["groups", "create", name, "--acl", "api-key:endpoint:chat"], environment);
    expect(await candidates(environment, "groups", "set", "small-m")).toEqual(["small-models"]);
    expect(await candidates(environment, "groups", "rm", "all", "s")).toEqual([
      "small-images",
      "small-models",
    ]);
    expect(await candidates(environment, "groups", "create", "s")).toEqual([]);
  });

  it("are none where the configuration cannot be used: a shell shows no errors at a Tab", async () => {
    const { environment } = commandEnvironment();
    expect(await candidates({ ...environment, HEARTH_PORT: "none" }, "show", "")).toEqual([]);
  });
});

/** Runs a program of a shell in which `hearth` is this program. */
function inShell(shell: string, args: readonly string[], environment: Environment): string {
  const folder = temporaryFolder();
  const program = join(folder, "hearth");
  writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "${join(root, "dist/main.js")}" "$@"\n`);
  chmodSync(program, 0o755);
  const path = [folder, process.env["PATH"]].join(delimiter);
  const run = spawnSync(shell, args, { encoding: "utf8", env: { HOME: folder, ...environment, PATH: path } });
  return run.stdout + run.stderr;
}

/** Returns what the name of a test says where a shell is absent, and `it`. */
function forShell(shell: string): readonly [string, typeof it | ReturnType<typeof it.runIf>] {
  const isThere = spawnSync(shell, ["-c", "exit 0"]).status === 0;
  return isThere ? ["", it] : [` (not run: apt-get install ${shell})`, it.runIf(false)];
}

const [noFish, itInFish] = forShell("fish");
const [noZsh, itInZsh] = forShell("zsh");

describe("hearth completion", () => {
  const withModel = (): Environment => {
    const { environment, gguf } = commandEnvironment();
    gguf("models/zeta.gguf");
    return environment;
  };

  it("bash: completes commands, options and names, quotes what needs it, and leaves files to the shell", async () => {
    const environment = withModel();
    await output(["teams", "create", "Red team"], environment);
    const tab = (...words: string[]): string => {
      const quoted = words.map((word) => `'${word}'`).join(" ");
      const program = `source <(hearth completion bash); complete -p hearth
        compopt() { echo "compopt $*"; }
        COMP_WORDS=(hearth ${quoted}); COMP_CWORD=${words.length}; _hearth; printf '%s\\n' "\${COMPREPLY[@]}"`;
      return inShell("bash", ["-c", program], environment);
    };
    const registered = "complete -F _hearth hearth\n";
    expect(tab("le")).toBe(`${registered}ledger\n`);
    expect(tab("keys", "create", "--e")).toBe(`${registered}--expires\n`);
    expect(tab("show", "z")).toBe(`${registered}zeta\n`);
    expect(tab("teams", "block", "")).toBe(`${registered}Red\\ team\n`);
    expect(tab("--config", "")).toBe(`${registered}compopt -o default\n\n`);
  });

  itInFish(`fish: completes as bash does${noFish}`, () => {
    const environment = withModel();
    const tab = (line: string): string =>
      inShell("fish", ["-c", `hearth completion fish | source; complete -C '${line}'`], environment);
    expect(tab("hearth le")).toBe("ledger\tcheck the ledger\n");
    expect(tab("hearth show z")).toBe("zeta\tchat model\n");
    expect(tab("hearth prices compare ")).toMatch(/^(ls|rm|set|help)\t/m);
  });

  itInZsh(`zsh: passes what is found to its completion system${noZsh}`, () => {
    const environment = withModel();
    const tab = (...words: string[]): string => {
      const quoted = words.map((word) => `'${word}'`).join(" ");
      const program = `compdef() { echo "compdef $*"; }; _describe() { print -l -- "\${(@P)4}"; }; _files() { echo files; }
        source <(hearth completion zsh); words=(hearth ${quoted}); CURRENT=${words.length + 1}; _hearth`;
      return inShell("zsh", ["-f", "-c", program], environment);
    };
    const registered = "compdef _hearth hearth\n";
    expect(tab("le")).toBe(`${registered}ledger:check the ledger\n`);
    expect(tab("show", "z")).toBe(`${registered}zeta:chat model\n`);
    expect(tab("--config", "")).toBe(`${registered}files\n`);
  });

  it("refuses another shell by name, with exit code 2", async () => {
    const run = runProgram(["completion", "tcsh"], {});
    expect(await run.exited).toBe(2);
    expect(run.stderr()).toContain("Allowed choices are bash, zsh, fish.");
  });
});
