/** Every example of the help and every command of the guides, run by the real program on a data folder that is empty, full or broken. */
import { cpSync, existsSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { examples } from "../../src/cli/examples.js";
import { temporaryFolder } from "../kit/folder.js";
import { forFile } from "../kit/for-file.js";
import { runProgram } from "../kit/program.js";
import { userDocuments, writtenCommandsOf } from "../docs/documents.js";

/** Runs until it is stopped. */
const endless = ["start"];
/** What may create a data folder, when it succeeds. */
const creating = [
  ...["alias", "set", "prices set", "prices compare set", "keys create", "groups create"],
  ...["teams create", "members add", "members sign-in-link", "management-keys create"],
];
/** What stands in the place of the words that a guide leaves to its reader. */
const placeholders: Readonly<Record<string, string>> = {
  ...{ MODEL: "hearth-tiny-5m", ALIAS: "gpt-4o-mini", WHAT: "qwen3:4b", TEAM: "research", KEY: "laptop" },
  ...{ ID: "laptop", NAME: "lab", EMAIL: "bob@example.com", MEMBER: "ada@example.com", USD: "1" },
  ...{ FILE: "requests.jsonl", ACL: "api-key:endpoint:chat", URL: "https://example.com/hook", SHELL: "bash" },
  PATH: "none",
  "KEY=VALUE": "context=1024",
};

/** Returns a command of a guide as a person would type it, without what goes on after it. */
function fillIn(written: string): string {
  const [command = ""] = written.split(/\s[|>#<]/);
  return command
    .replace(/^hearth /, "")
    .replaceAll(/\[([\w.]+)\]/g, "$1")
    .replaceAll(
      /\b(KEY=VALUE|[A-Z]{2,})\b(?:\.\.\.)?/g,
      (word: string, name: string) => placeholders[name] ?? word,
    );
}

const ofHelp = Object.entries(examples).flatMap(([path, all]) => all.map((words) => `${path} ${words}`));
const ofGuides = userDocuments().flatMap(({ text }) => writtenCommandsOf(text).map(fillIn));
const paths = Object.keys(examples).toSorted((a, b) => b.length - a.length);
const commandLines = [...new Set([...ofHelp, ...ofGuides].map((line) => line.trim()))].flatMap((line) => {
  const path = paths.find((each) => `${line} `.startsWith(`${each} `));
  return path === undefined || endless.includes(path) ? [] : [{ path, words: splitWords(line) }];
});
const processesMax = 3;

interface Place {
  readonly name: string;
  /** Makes the data folder, whose parent is there, and returns more variables. */
  readonly prepare: (data: string, whole: string) => NodeJS.ProcessEnv;
  /** Makes a whole data folder, which `prepare` copies. */
  readonly before?: (whole: string) => Promise<void>;
  /** What must hold of a command that has ended, besides the rules for all. */
  readonly findProblem?: (path: string, code: number | string, data: string) => string | null;
}

const folder = forFile((finished) => Promise.resolve(temporaryFolder(finished)));
const filled = [
  ...["teams create research", "teams create lab", "keys create --name laptop --team research"],
  ...["members add ada@example.com", "groups create chats", "credits add research 5"],
  "management-keys create --name backup",
];

const places: readonly Place[] = [
  {
    name: "no data folder",
    prepare: () => ({}),
    findProblem: (path, code, data) =>
      existsSync(data) && path !== "run" && !(code === 0 && creating.includes(path))
        ? "created the data folder"
        : null,
  },
  {
    name: "a data folder with teams, keys, members and groups",
    async before(data) {
      for (const words of filled)
        expect(await runProgram(splitWords(words), environmentOf(data)).exited).toBe(0);
    },
    prepare(data, whole) {
      cpSync(whole, data, { recursive: true });
      return {};
    },
  },
  {
    name: "a database that is none",
    prepare(data) {
      mkdirSync(data);
      writeFileSync(join(data, "hearth.db"), "This is no database.\n".repeat(400));
      return {};
    },
  },
  {
    name: "a folder in the place of the database, and settings of models that are no YAML",
    prepare(data) {
      mkdirSync(join(data, "hearth.db"), { recursive: true });
      writeFileSync(join(data, "model-settings.yaml"), "models: [\n");
      return {};
    },
  },
  {
    name: "a file in the place of the data folder",
    prepare(data) {
      writeFileSync(data, "no folder");
      return {};
    },
  },
  {
    name: "a configuration file with a syntax error",
    prepare(data) {
      writeFileSync(`${data}.yaml`, "port: [4280\n");
      return { HEARTH_CONFIG: `${data}.yaml` };
    },
    findProblem: (path, code) => (code === 0 && path !== "completion" ? "succeeded" : null),
  },
];

describe.each(places)("on $name", ({ prepare, before, findProblem }) => {
  it("every command ends with 0, 1 or 2, says something, and prints no stack trace", async () => {
    const whole = join(folder(), "whole");
    await before?.(whole);
    const problems: string[] = [];
    const waiting = [...commandLines.entries()];
    const work = async (): Promise<void> => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const [at, { path, words }] = next;
        const here = mkdtempSync(join(folder(), `${at}-`));
        const data = join(here, "data");
        const run = runProgram(words, { ...environmentOf(data), ...prepare(data, whole) }, here);
        run.child.stdin?.end();
        const code = await run.exited;
        const found = [
          ...describeEnd(path, code, run.stdout(), run.stderr()),
          findProblem?.(path, code, data) ?? null,
        ];
        problems.push(
          ...found.filter((each) => each !== null).map((each) => `hearth ${words.join(" ")}: ${each}`),
        );
      }
    };
    await Promise.all(Array.from({ length: processesMax }, work));
    expect(problems).toEqual([]);
  });
});

function environmentOf(data: string): NodeJS.ProcessEnv {
  return {
    HEARTH_DATA: data,
    HEARTH_PORT: "9",
    HF_ENDPOINT: "http://127.0.0.1:9",
    HEARTH_GPU: "off",
    OLLAMA_MODELS: join(data, ".."),
  };
}

/** Returns what breaks the rules for all commands. */
function describeEnd(path: string, code: number | string, out: string, error: string): readonly string[] {
  const said = `${out}${error}`;
  return [
    ...(code === 0 || code === 1 || code === 2 ? [] : [`ended with ${code}`]),
    ...(said.trim() === "" && path !== "export" ? ["said nothing"] : []),
    ...(/^\s+at .+:\d+:\d+\)?$/m.test(said) || /node:internal|\(node:\d+\)/.test(said)
      ? [`printed ${said}`]
      : []),
    ...(code !== 0 && error.trim() === "" && !out.includes("failed") ? ["failed without an error"] : []),
  ];
}

/** Splits a command line as a shell does, as far as the examples need it. */
function splitWords(line: string): readonly string[] {
  return [...line.matchAll(/"([^"]*)"|\S+/g)].map(([word, quoted]) => quoted ?? word);
}
