/** `hearth logs`: prints the log of the server in the data folder. It reads the files, so that it also works when the server has ended. */
import { closeSync, existsSync, fstatSync, openSync, readFileSync, readSync } from "node:fs";
import { InvalidArgumentError, type Command } from "commander";
import type { Config, LoadedConfig } from "../../config/config.js";
import type { TextOut } from "../terminal.js";

/** How often it is looked whether the log has grown. */
const lookMs = 200;
const linesDefault = 100;

interface LogsIo {
  readonly load: () => Promise<LoadedConfig>;
  readonly out: TextOut;
  readonly err: TextOut;
  /** Runs an action at the first Ctrl-C. */
  readonly onInterrupt: (action: () => void) => () => void;
}

interface LogsOptions {
  readonly follow?: true;
  readonly lines: number | "all";
  readonly json?: true;
  readonly path?: true;
  readonly quiet?: true;
}

/** Adds the command; its exit code is 1 when there is no log. */
export function addLogsCommand(program: Command, { load, out, err, onInterrupt }: LogsIo): void {
  program
    .command("logs")
    .description("print the last lines of the server's log")
    .option("-n, --lines <number>", "how many lines, or all", parseLines, linesDefault)
    .option("-f, --follow", "go on with lines as they are written, until Ctrl-C")
    .option("--path", "print only where the log is")
    .option("--json", "print the lines as they are in the log, which are JSON")
    .option("-q, --quiet", "do not say where the log is")
    .action(async ({ follow, lines, json, path, quiet }: LogsOptions) => {
      const { logFile, formerLogFile } = await import("../../store/data-folder.js");
      const { config } = await load();
      const file = logFile(config);
      if (path === true) return void out.write(`${file}\n`);
      const files = [formerLogFile(config), file].filter((each) => existsSync(each));
      if (files.length === 0 && follow !== true) throw noLog(config, file);
      if (quiet !== true) err.write(`the log is ${file}\n`);
      const print = (line: string): void => void out.write(`${json === true ? line : formatLogLine(line)}\n`);
      const reader = followFile(file);
      const former = files
        .filter((each) => each !== file)
        .flatMap((each) => splitLines(readFileSync(each, "utf8")));
      const all = [...former, ...reader.read()];
      all.slice(lines === "all" ? 0 : Math.max(0, all.length - lines)).forEach(print);
      if (follow === true)
        await new Promise<void>((resolve) => {
          const timer = setInterval(() => reader.read().forEach(print), lookMs);
          onInterrupt(() => {
            clearInterval(timer);
            resolve();
          });
        });
      reader.close();
    });
}

function parseLines(written: string): number | "all" {
  if (written === "all") return written;
  if (!/^\d{1,9}$/.test(written)) throw new InvalidArgumentError("It must be a whole number, or all.");
  return Number(written);
}

function noLog({ logBytesMax }: Config, file: string): Error {
  return new Error(
    logBytesMax === 0
      ? "there is no log: logBytesMax is 0, and the server writes to its standard error alone"
      : `there is no log yet: the server writes ${file} when it runs (\`hearth start\`)`,
  );
}

/** Reads the lines that a file has got since the last look, also after another file has taken its name. */
function followFile(file: string) {
  let opened: { readonly fd: number; readonly id: number; at: number; rest: string } | null = null;
  const open = (): typeof opened => {
    if (!existsSync(file)) return null;
    const fd = openSync(file, "r");
    return { fd, id: fstatSync(fd).ino, at: 0, rest: "" };
  };
  const readMore = (): readonly string[] => {
    if (opened === null) return [];
    const { size } = fstatSync(opened.fd);
    const bytes = Buffer.alloc(Math.max(0, size - opened.at));
    const count = readSync(opened.fd, bytes, 0, bytes.length, opened.at);
    // Lines are written whole, so that no character is cut.
    opened.at += count;
    const text = opened.rest + bytes.toString("utf8", 0, count);
    const end = text.lastIndexOf("\n") + 1;
    opened.rest = text.slice(end);
    return splitLines(text.slice(0, end));
  };
  const close = (): void => {
    if (opened !== null) closeSync(opened.fd);
    opened = null;
  };
  return {
    read(): readonly string[] {
      opened ??= open();
      const lines = readMore();
      const next = open();
      if (next === null) return lines;
      if (next.id === opened?.id) {
        closeSync(next.fd);
        return lines;
      }
      const last = readMore();
      close();
      opened = next;
      return [...lines, ...last, ...readMore()];
    },
    close,
  };
}

function splitLines(text: string): readonly string[] {
  return text.split("\n").filter((line) => line !== "");
}

/** A line of the log as people read it. */

const levels: Readonly<Record<number, string>> = {
  10: "trace",
  20: "debug",
  30: "info",
  40: "warn",
  50: "error",
  60: "fatal",
};

/** What every line has, or what stands elsewhere in the text. */
const common = new Set(["level", "time", "pid", "hostname", "msg"]);

/** Returns a line of JSON as text: its time in UTC, level, message and fields; a line that is no JSON stays as it is. */
export function formatLogLine(line: string): string {
  const entry = parse(line);
  if (entry === null) return line;
  const { level, time, msg } = entry;
  const when = typeof time === "number" ? `${new Date(time).toISOString().slice(0, 19)}Z` : "";
  const fields = Object.entries(entry)
    .filter(([name, value]) => !common.has(name) && value !== null)
    .map(([name, value]) => `${name}=${formatValue(value)}`);
  return [when, (levels[Number(level)] ?? "").padEnd(5), typeof msg === "string" ? msg : "", ...fields]
    .filter((part) => part !== "")
    .join(" ");
}

function parse(line: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

/** An error is shown by its message; `--json` has its stack. */
function formatValue(value: unknown): string {
  if (typeof value === "object" && value !== null && "message" in value) return JSON.stringify(value.message);
  return typeof value === "string" && /^\S+$/.test(value) ? value : JSON.stringify(value);
}
