/** `hearth run` as a person types on a terminal, and in a pipe. */
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { DecodeJob } from "../../../src/core/engine.js";
import { measureText } from "../../../src/cli/text-width.js";
import { temporaryFolder } from "../../kit/folder.js";
import { runProgram } from "../../kit/program.js";
import type { ScriptStep } from "../../kit/scripted/engine.js";
import { fileServer } from "../../kit/server.js";
import { keys as apiKeys } from "../../kit/server/six-keys.js";
import { hasTerminal, keys, openTerminal, withoutTerminal, type Terminal } from "../../kit/terminal.js";
import { eventually, until } from "../../kit/until.js";

const jobs: DecodeJob[] = [];
const longText =
  "It is a long answer with many plain words, and one is 漢字漢字漢字漢字漢字漢字漢字。Then Donaudampfschifffahrtsgesellschaft goes on.";

/** Answers by the last message. */
function* script(prompt: string, job: DecodeJob): Iterable<ScriptStep> {
  jobs.push(job);
  const last = prompt.slice(prompt.lastIndexOf("user: "));
  if (last.includes("wait")) yield* ["One two", new Promise(() => undefined)];
  else if (last.includes("think")) {
    yield { type: "reasoning-delta", choice: 0, text: "Let me see.", tokens: 3 };
    yield "It is so.";
  } else if (last.includes("long")) for (const character of longText) yield character;
  else yield "Good day.";
}

const shared = fileServer({ engine: script });
const prompts = () => shared().prompts;
const withoutOllama = fileServer({ engine: script, config: { ollamaApi: "off" } });
/** Leads to the server without Ollama's routes. */
const elsewhere = () => ({ HEARTH_PORT: new URL(withoutOllama().url).port });

function environment(state = temporaryFolder()): NodeJS.ProcessEnv {
  return {
    HEARTH_PORT: new URL(shared().url).port,
    HEARTH_DATA: join(temporaryFolder(), "data"),
    HEARTH_API_KEY: apiKeys.ada,
    XDG_STATE_HOME: state,
  };
}

const ready = />>> Send a message \(\/\? for help\)$/;

/** Opens a chat; `say` types a line and waits for the next prompt. */
async function openChat(
  words: readonly string[] = [],
  options: Parameters<typeof openTerminal>[1] = {},
  prompt: RegExp = ready,
) {
  const terminal = openTerminal(["run", "ember-1m", ...words], { environment: environment(), ...options });
  await terminal.waitFor(prompt);
  return { terminal, say: (line: string) => say(terminal, line) };
}

/** @returns what the terminal shows between the line and the next prompt */
async function say(terminal: Terminal, line: string): Promise<string> {
  const before = terminal.shown();
  terminal.type(`${line}${keys.enter}`);
  await eventually(() => {
    expect(terminal.shown()).not.toBe(before);
    expect(terminal.shown()).toMatch(ready);
  });
  const from = before.lastIndexOf("\n") + 1;
  return terminal.shown().slice(from).split("\n").slice(1, -1).join("\n").trim();
}

async function pipe(
  words: readonly string[],
  input = "",
  more: NodeJS.ProcessEnv = {},
  cwd = temporaryFolder(),
) {
  const run = runProgram(["run", ...words], { ...environment(), ...more }, cwd);
  run.child.stdin?.end(input);
  return { code: await run.exited, out: run.stdout(), err: run.stderr() };
}

describe.runIf(hasTerminal)(`hearth run on a terminal${withoutTerminal}`, () => {
  it("answers, keeps the conversation, forgets it with /clear, and leaves with /bye", async () => {
    const { terminal, say } = await openChat();
    expect(await say("hello")).toBe("Good day.");
    await say("again");
    expect(prompts().at(-1)).toContain("user: hello\nassistant: Good day.\nuser: again");
    await say("/clear");
    await say("new");
    expect(prompts().at(-1)).not.toContain("hello");
    terminal.type(`/bye${keys.enter}`);
    expect(await terminal.exited).toBe(0);
  });

  it("never sends an unknown command, and lists the commands", async () => {
    const { say } = await openChat();
    const sent = prompts().length;
    const shown = (await say("/halp me")).replaceAll("\n", " ");
    expect(shown).toContain(
      "there is no command '/halp', and nothing was sent. The commands are /set, /show, /model,",
    );
    for (const line of ["/", "/etc/hosts is what?", "/ bye", "// a comment"]) await say(line);
    expect(prompts()).toHaveLength(sent);
    expect(await say('"""/halp me"""')).toBe("Good day.");
    expect(prompts().at(-1)).toContain("user: /halp me");
  });

  it.each(["/?", "/help", "/? set", "/? show", "/? shortcuts", "/set", "/halp"])(
    "%s fits into 80 columns, and cuts no word",
    async (command) => {
      const { terminal } = await openChat();
      const words = (await say(terminal, command)).split("\n");
      expect(Math.max(...words.map((line) => line.length))).toBeLessThan(80);
      expect(words.length).toBeGreaterThan(1);
    },
  );

  it("Ctrl-C stops the answer alone, then says how to leave, and deletes a line; Ctrl-D leaves", async () => {
    const { terminal, say } = await openChat();
    const { aborted } = shared().engine;
    terminal.type(`wait${keys.enter}`);
    await terminal.waitFor("One two");
    terminal.type(keys.ctrlC);
    await terminal.waitFor(/One two\n+>>> Send a message/);
    await until(() => shared().engine.aborted === aborted + 1);
    terminal.type(keys.ctrlC);
    await terminal.waitFor(/Use Ctrl-D or \/bye to leave\.\n>>> Send/);
    terminal.type(`not sent${keys.ctrlC}`);
    await terminal.waitFor(/leave\.\n>>>\n>>> Send/);
    expect(await say("go on")).toBe("Good day.");
    expect(prompts().at(-1)).toContain("user: wait\nassistant: One two\nuser: go on");
    terminal.type(keys.ctrlD);
    expect(await terminal.exited).toBe(0);
  });

  it("keeps what is typed while an answer is printed for the next prompt", async () => {
    const { terminal } = await openChat();
    terminal.type(`wait${keys.enter}`);
    await terminal.waitFor("One two");
    terminal.type(`early${keys.enter}half`);
    terminal.type(keys.ctrlC);
    await terminal.waitFor(/One two\n+>>> early\nGood day\.\n+>>> half$/);
    expect(prompts().at(-1)).toContain("user: early");
  });

  it.each([20, 33, 80])(
    "breaks lines between words on %i columns, and counts wide characters",
    async (columns) => {
      const { terminal } = await openChat([], { size: { columns, rows: 40 } }, />>>/);
      terminal.type(`long${keys.enter}`);
      await terminal.waitFor(/goes\s+on\.\n+>>>/);
      const lines = terminal
        .shown()
        .split("\n")
        .slice(1, -1)
        .filter((line) => line !== "");
      expect(Math.max(...lines.map(measureText))).toBeLessThan(columns);
      // Only the word that is longer than a line is cut.
      const cut = "Donaudampfschifffahrtsgesellschaft".length < columns ? lines.join(" ") : lines.join("");
      const plain = (text: string): string => text.replaceAll(/\s/g, "");
      expect(plain(cut)).toBe(plain(longText));
      for (const word of longText.split(/[ 。漢字]+/).filter(({ length }) => length < columns))
        expect(
          lines.some((line) => line.includes(word)),
          word,
        ).toBe(true);
    },
  );

  it("sends a block between quotes, and a paste, as one message", async () => {
    const { terminal, say } = await openChat();
    terminal.type(`"""first${keys.enter}`);
    await terminal.waitFor(/\.\.\.$/);
    expect(await say('second"""')).toContain("Good day.");
    expect(prompts().at(-1)).toContain("user: first\nsecond\n");
    terminal.type("\u001b[200~/one\rtwo\u001b[201~");
    await terminal.waitFor(/\.\.\. two$/);
    await say("");
    expect(prompts().at(-1)).toContain("user: /one\ntwo\n");
    terminal.type(`"""never${keys.enter}sent${keys.ctrlC}`);
    await terminal.waitFor(/never\n(?:\.\.\.)?\n>>> Send a message[^\n]*$/);
    await say("fresh");
    expect(prompts().at(-1)).not.toContain("never");
  });

  it("changes parameters, the system message, the reasoning and the form of answers with /set", async () => {
    const { say } = await openChat();
    expect(await say("/set parameter temperature 0.25")).toBe("temperature is 0.25.");
    for (const line of ["seed 7", "top_k 5", "num_predict 20", "stop END STOP"])
      await say(`/set parameter ${line}`);
    await say('/set system "You are a dog."');
    await say("hello");
    expect(jobs.at(-1)).toMatchObject({
      sampling: { temperature: 0.25, seed: 7, topK: 5 },
      maxTokens: 20,
      stop: ["END", "STOP"],
    });
    expect(prompts().at(-1)).toContain("system: You are a dog.");
    expect(await say("/show system")).toBe("You are a dog.");
    expect(await say("/show parameters")).toMatch(/^temperature +0\.25 +\(this chat\)$/m);
    expect(await say("/set parameter num_ctx 4096")).toContain("`hearth set MODEL context=N`");
    expect(await say("/set parameter heat 1")).toContain(
      "there is no parameter 'heat'; there are temperature",
    );
    expect(await say("/set parameter seed x")).toContain("seed must be a whole number, not 'x'");
    expect(await say("/set think max")).toContain("must be on, off, low, medium or high, not 'max'");
    expect(await say("/set nonsense")).toContain("/set has no 'nonsense'; it has parameter, system");
    expect(await say("/set format xml")).toContain("/set format must be json");
  });

  it("marks the reasoning, and hides it with --hidethinking", async () => {
    const { terminal, say } = await openChat();
    expect(await say("think")).toBe("Thinking...\nLet me see.\n...done thinking.\n\nIt is so.");
    expect(terminal.written()).toContain("\u001b[2mLet me see.\u001b[0m");
    const hiding = await openChat(["--hidethinking"]);
    expect(await hiding.say("think")).toBe("It is so.");
    const plain = await openChat([], { environment: { ...environment(), NO_COLOR: "1" } });
    expect(await plain.say("think")).toContain("Let me see.");
    expect(plain.terminal.written()).not.toContain("\u001b[2m");
  });

  it("prints times and rates with /set verbose, until /set quiet", async () => {
    const { say } = await openChat();
    await say("/set verbose");
    const shown = await say("hello");
    for (const name of [
      "total duration",
      "load duration",
      "prompt eval count",
      "prompt eval duration",
      "eval duration",
    ])
      expect(shown).toMatch(new RegExp(`^${name}: +\\S`, "m"));
    expect(shown).toMatch(/^eval count: +2 token\(s\)$/m);
    await say("/set quiet");
    expect(await say("hello")).toBe("Good day.");
  });

  it("shows the model, lists the models, and goes on or begins anew with another one", async () => {
    const { say } = await openChat();
    expect(await say("/show")).toMatch(/^ +id +ember-1m$/m);
    expect(await say("/show license")).toBe("Apache-2.0");
    expect(await say("/show nonsense")).toContain("/show has no 'nonsense'; it has info, parameters");
    expect(await say("/model")).toBe("* ember-1m, ember\n  org/name:q4");
    await say("hello");
    expect(await say("/model org/name:q4")).toBe(
      "org/name:q4 answers from now on; the conversation goes on.",
    );
    await say("again");
    expect(prompts().at(-1)).toContain("user: hello");
    expect(await say("/load ember")).toBe("ember answers a new conversation.");
    await say("third");
    expect(prompts().at(-1)).not.toContain("hello");
    expect(await say("/load embr")).toContain("embr");
    expect(await say("still here")).toBe("Good day.");
  });

  it("converses on a server without Ollama's routes, and says what needs them", async () => {
    const { say } = await openChat([], { environment: { ...environment(), ...elsewhere() } });
    expect(await say("hello")).toContain("Good day.");
    expect(await say("/show")).toContain("/show needs Ollama's routes");
    expect(await say("/load embr")).toContain("embr");
    expect(await say("/load ember-1m")).toContain("answers a new conversation");
  });

  it("has the lines of earlier chats by the arrow keys, in a file for the user alone, unless it is switched off", async () => {
    const state = temporaryFolder();
    const file = join(state, "hearth", "run-history");
    mkdirSync(join(state, "hearth"));
    writeFileSync(file, Array.from({ length: 1500 }, (_, at) => `line ${at}\n`).join(""), { mode: 0o644 });
    const first = await openChat([], { environment: environment(state) });
    await first.say("a first line");
    await first.say("/set nohistory");
    await first.say("a secret");
    first.terminal.type(keys.ctrlD);
    await first.terminal.exited;
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const lines = readFileSync(file, "utf8").trim().split("\n");
    expect([lines.length, lines[0], lines.slice(-2)]).toEqual([
      1002,
      "line 500",
      ["a first line", "/set nohistory"],
    ]);
    const second = await openChat([], { environment: environment(state) });
    second.terminal.type(keys.up + keys.up);
    await second.terminal.waitFor(/>>> a first line$/);
    second.terminal.type(keys.up);
    await second.terminal.waitFor(/>>> line 1499$/);
    const none = temporaryFolder();
    for (const [words, more] of [
      [["--no-history"], {}],
      [[], { HEARTH_RUN_HISTORY: "off" }],
    ] as const) {
      const chat = await openChat(words, { environment: { ...environment(none), ...more } });
      await chat.say("hello");
    }
    expect(existsSync(join(none, "hearth"))).toBe(false);
  });
});

describe("hearth run in a pipe", () => {
  it("takes standard input as the prompt, or adds it, and prints the answer alone", async () => {
    expect(await pipe(["ember-1m"], "what is this\n")).toEqual({ code: 0, out: "Good day.\n", err: "" });
    expect(prompts().at(-1)).toContain("user: what is this\n");
    await pipe(["ember-1m", "sum", "up"], "a text\n");
    expect(prompts().at(-1)).toContain("user: sum up\n\na text\n");
    expect(await pipe(["ember-1m", "think"])).toEqual({ code: 0, out: "It is so.\n", err: "" });
    expect((await pipe(["ember-1m", "long"])).out).toBe(`${longText}\n`);
  });

  it("prints times and rates on standard error with --verbose", async () => {
    const { out, err } = await pipe(["ember-1m", "hello", "--verbose"]);
    expect(out).toBe("Good day.\n");
    expect(err).toMatch(/^total duration: +\S+\nload duration: +\S+\nprompt eval count: +\d+ token\(s\)$/m);
  });

  it("answers on a server without Ollama's routes, and says what needs them", async () => {
    const { code, out, err } = await pipe(["ember-1m", "hello", "--verbose"], "", elsewhere());
    expect([code, out]).toEqual([0, "Good day.\n"]);
    expect(err).toMatch(/^total duration: /m);
    const kept = await pipe(["ember-1m", "hello", "--keepalive", "5m"], "", elsewhere());
    expect([kept.code, kept.out]).toEqual([1, ""]);
    expect(kept.err).toContain("--keepalive needs Ollama's routes");
    expect((await pipe(["embr", "hi", "--verbose"], "", elsewhere())).err).toContain("embr");
  });

  it("takes --think before a prompt, and forms of the answer", async () => {
    const folder = temporaryFolder();
    const schema = { type: "object", properties: { a: { type: "string" } }, required: ["a"] };
    writeFileSync(join(folder, "schema.json"), JSON.stringify(schema));
    await pipe(["--think", "ember-1m", "hello"]);
    expect(prompts().at(-1)).toContain("user: hello\n");
    for (const written of [JSON.stringify(schema), "schema.json"]) {
      await pipe(["ember-1m", "hello", "--format", written], "", {}, folder);
      expect(jobs.at(-1)?.format).toMatchObject({ type: "json-schema", schema });
    }
    await pipe(["ember-1m", "hello", "--format", "json"]);
    expect(jobs.at(-1)?.format).toMatchObject({ type: "json-object" });
  });

  it.each([
    [["ember-1m"], 2, "no prompt: pass one as an argument or on standard input"],
    [
      ["ember-1m", "hi", "--format", "xml"],
      2,
      "error: --format must be json, the JSON text of a schema, or a file with one; 'xml' does not exist",
    ],
    [
      ["ember-1m", "hi", "--format", "[1]"],
      2,
      "error: --format must be json, the JSON text of a schema, or a file with one",
    ],
    [["ember-1m", "hi", "--think=much"], 2, "unknown option '--think=much'"],
    [["ember-1m", "hi", "--keepalive", "soon"], 1, "--keepalive: must be seconds, or a time such as '5m'"],
    [["embr", "hi"], 1, "embr"],
  ])("%j exits with %i: %s", async (words, code, message) => {
    const result = await pipe(words);
    expect([result.code, result.out]).toEqual([code, ""]);
    expect(result.err).toContain(message);
  });
});
