/** What reaches the terminal of a person who runs commands: nothing in it is obeyed. */
import { text as readAll } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { AnswerPrinter } from "../../src/cli/run/screen/answer-printer.js";
import { formatJson, formatTable, type TableColumn } from "../../src/cli/table.js";
import { exactOn, printableBytes, printTo, rewriteLine } from "../../src/cli/terminal.js";
import { temporaryFolder } from "../kit/folder.js";
import { runProgram } from "../kit/program.js";

const hostile: Readonly<Record<string, string>> = {
  colour: "\u001b[31mred\u001b[0m",
  "title of the window": "\u001b]0;pwned\u0007",
  clipboard: "\u001b]52;c;cm0gLXJm\u001b\\",
  link: "\u001b]8;;https://evil.example\u001b\\here\u001b]8;;\u001b\\",
  "device control": "\u001bP$q\u001b\\",
  "answer of the terminal": "\u001b[6n\u001b[c",
  reset: "\u001bc",
  "one character for CSI": "\u009b2J\u009d0;x\u009c",
  overprint: "safe\rrm -rf",
  backspaces: "safe\b\b\b\bevil",
  "bell and null": "\u0007\0\u007f",
  "other lines": "a\u000bb\u000cc\u0085d\u2028e\u2029f",
  "direction of text": "\u202egnp.exe\u202c\u2066x\u2069\u200f\u061c",
};
const columns = (...titles: readonly string[]): readonly TableColumn<readonly string[]>[] =>
  titles.map((title, at) => ({ title, cell: (cells) => cells[at] ?? "" }));
// oxlint-disable-next-line no-control-regex
const obeyed = /[\0-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;

const printing = { wrapsWords: true, showsReasoning: true, hasColours: true };

/** A terminal, or a pipe. */
function stream(isTTY: boolean) {
  let written = "";
  const out = { isTTY, columns: 80, write: (text: string) => (written += text) };
  return { out, written: () => written };
}

describe.each(Object.entries(hostile))("E31: %s", (_, text) => {
  it("passes to a terminal from no answer, wherever it is cut, and is exact in a pipe", () => {
    for (const kind of ["text", "reasoning"] as const)
      for (let cut = 0; cut <= text.length; cut += 1) {
        const deltas = [text.slice(0, cut), text.slice(cut)].map((part) => ({ kind, text: part }));
        const [terminal, pipe] = [stream(true), stream(false)];
        for (const { out } of [terminal, pipe]) {
          const printer = new AnswerPrinter(exactOn(out), printing);
          for (const delta of deltas) printer.print(delta);
          printer.end();
        }
        // Its own sequences make reasoning dim.
        const own = ["\u001b[2m", "\u001b[0m"];
        const shown = own.reduce((left, sequence) => left.replaceAll(sequence, ""), terminal.written());
        expect(shown).not.toMatch(obeyed);
        expect(pipe.written()).toBe(kind === "text" ? text : "");
      }
  });

  it("passes from no other text of a command, to a terminal or a pipe", () => {
    for (const isTTY of [true, false]) {
      const { out, written } = stream(isTTY);
      printTo(out).write(`name: ${text}\n`);
      printTo(out).write(formatTable(columns(text, "B"), [[text, "x"]]));
      printTo(out).write(formatJson({ [text]: text }));
      expect(written()).not.toMatch(obeyed);
    }
    const table = formatTable(columns("A"), [[`a\tb\r\nc${text}`]]);
    expect(table.split("\n")).toHaveLength(3);
    expect(JSON.parse(formatJson({ [text]: text }))).toEqual({ [text]: text });
  });

  it("passes from no file, whose bytes are cut anywhere", async () => {
    const bytes = Buffer.from(`é${text}é`);
    for (let cut = 0; cut <= bytes.length; cut += 1) {
      const cleaned = printableBytes();
      const read = readAll(cleaned);
      cleaned.write(bytes.subarray(0, cut));
      cleaned.end(bytes.subarray(cut));
      expect(await read).not.toMatch(obeyed);
      expect(await read).toMatch(/^é.*é$/s);
    }
  });

  it("passes from no error of the program", async () => {
    const words = ["show", `x${text.replaceAll("\0", "")}`];
    const run = runProgram(words, {
      HEARTH_DATA: temporaryFolder(),
      HEARTH_MODELS: temporaryFolder(),
      HEARTH_PORT: "0",
    });
    expect(await run.exited).toBe(1);
    expect(run.stderr()).toContain("There is no model");
    expect(run.stderr()).not.toMatch(obeyed);
  });
});

it("E31: lines, tabs and the program's own sequences reach the terminal as they are", () => {
  const { out, written } = stream(true);
  const printed = printTo(out);
  printed.write("a\tb\r\nc\n");
  rewriteLine(printed, "50 %\u001b[31m");
  const printer = new AnswerPrinter(exactOn(out), printing);
  printer.print({ kind: "reasoning", text: "hm" });
  expect(written()).toBe(
    "a\tb\r\nc\n\r\u001b[K50 %\ufffd[31m\u001b[2mThinking...\n\u001b[0m\u001b[2mhm\u001b[0m",
  );
});
