/** The terminal of the tests themselves, and the columns that text takes. */
import { describe, expect, it } from "vitest";
import { measureText } from "../../../src/cli/text-width.js";
import { hasTerminal, keys, openProgram, withoutTerminal } from "../../kit/terminal.js";
import { Screen } from "../../kit/terminal-screen.js";

describe.runIf(hasTerminal)(`a program on a terminal${withoutTerminal}`, () => {
  it("has 80 columns and 24 rows, is typed to, and ends with its exit code", async () => {
    const terminal = openProgram(["sh", "-c", "stty size; read line; echo got $line; exit 7"]);
    await terminal.waitFor("24 80");
    terminal.type(`hello${keys.enter}`);
    await terminal.waitFor(/got hello$/);
    expect(await terminal.exited).toBe(7);
    expect(terminal.screen()).toBe("24 80\nhello\ngot hello");
  });

  it("is told of a new size, and of Ctrl-C", async () => {
    const terminal = openProgram([
      "sh",
      "-c",
      'trap "stty size" WINCH; echo ready; while :; do read x; done',
    ]);
    await terminal.waitFor("ready");
    terminal.resize({ columns: 40, rows: 10 });
    terminal.type(keys.enter);
    await terminal.waitFor("10 40");
    terminal.type(keys.ctrlC);
    expect(await terminal.exited).toBe(130);
  });

  it("fails with what it shows when it ends without what was waited for", async () => {
    const terminal = openProgram(["echo", "something else"]);
    await expect(terminal.waitFor("this")).rejects.toThrow("does not show this:\nsomething else");
  });
});

describe("a screen", () => {
  it.each([
    ["breaks lines at its last column", "0123456789ab", "0123456789\nab"],
    ["moves a wide character that does not fit to the next line", "012345678漢x", "012345678\n漢x"],
    ["keeps what scrolls away", "1\r\n2\r\n3\r\n4", "1\n2\n3\n4"],
    ["obeys moves and deletions", "abc\r\u001b[1Cx\r\n123\u001b[1Ay\u001b[2D\u001b[Kz", "axz\n123"],
    ["erases what is visible alone", "1\r\n2\r\n3\r\n4\u001b[H\u001b[2J9", "1\n9"],
    ["shows no title, colour or answer", "\u001b]0;title\u0007a\u001b[31mb\u001b[0m\u001b[?25lc", "abc"],
    ["joins marks with the character before", "e\u0301x", "e\u0301x"],
  ])("%s", (_, written, expected) => {
    for (let cut = 0; cut <= written.length; cut += 1) {
      const screen = new Screen({ columns: 10, rows: 3 });
      screen.write(written.slice(0, cut));
      screen.write(written.slice(cut));
      expect(screen.all().join("\n").trimEnd()).toBe(expected);
    }
  });
});

it.each([
  ["plain", 5],
  ["Grüße", 5],
  ["e\u0301", 1],
  ["漢字", 4],
  ["한국어", 6],
  ["かなカナ", 8],
  ["ﾊﾝｶｸ", 4],
  ["ＡＢ", 4],
  ["🙂👍", 4],
  ["✓→…", 3],
  ["\u200b\ufe0f", 0],
])("%s takes as many columns as terminals give it", (text, columns) => {
  expect(measureText(text)).toBe(columns);
});
