/**
 * Programs on a real pseudo-terminal, which `script` of util-linux makes: keys are typed, and what the terminal shows is read. On a
 * machine without it, put `withoutTerminal` into the names of such tests and run them with `it.runIf(hasTerminal)`.
 */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { root, temporaryFolder } from "./folder.js";
import { Screen, type Size } from "./terminal-screen.js";
import { eventually } from "./until.js";

const scriptProgram = "/usr/bin/script";

/** Whether this machine has what makes pseudo-terminals. */
export const hasTerminal = existsSync(scriptProgram) && process.platform === "linux";
/** What the names of tests say where it is absent. */
export const withoutTerminal = hasTerminal ? "" : ` (on a terminal only with ${scriptProgram})`;

/** What keys send. */
export const keys = {
  enter: "\r",
  tab: "\t",
  backspace: "\u007f",
  up: "\u001b[A",
  down: "\u001b[B",
  right: "\u001b[C",
  left: "\u001b[D",
  ctrlA: "\u0001",
  ctrlC: "\u0003",
  ctrlD: "\u0004",
  escape: "\u001b",
} as const;

export interface Terminal {
  /** Process id of the command; 0 before it runs. */
  readonly pid: () => number;
  /** Resolves with the exit code, or 128 and the number of the signal. */
  readonly exited: Promise<number>;
  /** Everything that was written so far, with its control sequences. */
  readonly written: () => string;
  /** What the screen shows, without blanks at the ends of lines and empty lines at the end. */
  readonly screen: () => string;
  /** Every line that the screen has shown, with those that have scrolled away. */
  readonly shown: () => string;
  /** Types text as a person does: `type(`hello${keys.enter}`)`. */
  type(text: string): void;
  /**
   * Resolves once `shown()` matches, such as `/>>>$/` for a prompt at the end.
   * @throws Error with the screen when the command ends without it, or nothing matches for minutes.
   */
  waitFor(pattern: RegExp | string): Promise<void>;
  /** Changes the size of the terminal, as a person drags its window; the program is told. */
  resize(size: Size): void;
}

export interface TerminalOptions {
  /** All variables of the command but PATH, HOME and TERM. */
  readonly environment?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  readonly size?: Size;
}

/** Runs a command of Hearth on a terminal of 80 columns and 24 rows. */
export function openTerminal(args: readonly string[], options: TerminalOptions = {}): Terminal {
  return openProgram([process.execPath, join(root, "dist/main.js"), ...args], options);
}

/** Runs a program on a terminal of 80 columns and 24 rows. It is killed when the test ends. */
export function openProgram(
  command: readonly string[],
  { environment = {}, cwd = root, size = { columns: 80, rows: 24 } }: TerminalOptions = {},
): Terminal {
  const startFile = join(temporaryFolder(), "started");
  const prepare = `stty cols ${size.columns} rows ${size.rows}; echo $$ $(tty) > ${quote(startFile)}`;
  const child = spawn(
    scriptProgram,
    ["-qfec", `${prepare}; exec ${command.map(quote).join(" ")}`, "/dev/null"],
    {
      cwd,
      env: {
        PATH: process.env["PATH"],
        HOME: process.env["HOME"],
        TERM: "xterm-256color",
        ...environment,
        SHELL: "/bin/sh",
      },
      stdio: ["pipe", "pipe", "inherit"],
    },
  );
  const started = (): readonly string[] =>
    existsSync(startFile) ? readFileSync(startFile, "utf8").trim().split(" ") : [];
  const screen = new Screen(size);
  let written = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    written += text;
    screen.write(text);
  });
  // A program that has ended reads no more.
  child.stdin.on("error", () => undefined);
  const exited = once(child, "close").then(([code, signal]) => (signal === null ? (code as number) : 128));
  let hasExited = false;
  void exited.then(() => (hasExited = true));
  onTestFinished(async () => {
    if (!hasExited) kill(Number(started()[0]));
    child.kill("SIGKILL");
    await exited;
  });
  const shown = (): string => screen.all().join("\n").trimEnd();
  const check = (pattern: RegExp | string): void => {
    const text = shown();
    if (typeof pattern === "string" ? text.includes(pattern) : pattern.test(text)) return;
    throw new Error(
      `${hasExited ? "the command has ended, and " : ""}the terminal does not show ${String(pattern)}:\n${text}`,
    );
  };
  return {
    pid: () => Number(started()[0] ?? 0),
    exited,
    written: () => written,
    screen: () => screen.visible().join("\n").trimEnd(),
    shown,
    type: (text) => void child.stdin.write(text),
    waitFor: (pattern) => Promise.race([eventually(() => check(pattern)), exited.then(() => check(pattern))]),
    resize: (to) => {
      screen.resize(to);
      execFileSync("stty", ["-F", started()[1] ?? "", "cols", String(to.columns), "rows", String(to.rows)]);
    },
  };
}

function quote(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

function kill(pid: number): void {
  try {
    if (pid > 0) process.kill(pid, "SIGKILL");
  } catch {
    // It has just ended.
  }
}
