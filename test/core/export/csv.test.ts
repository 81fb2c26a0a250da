/** Cells that users fill, in spreadsheets of any language. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatCsv, jsonCell, textCell } from "../../../src/core/export/csv.js";
import { formatRows } from "../../../src/core/export/rows.js";
import { casesOf } from "../../kit/setup/random-cases.js";

const signs = ["=", "+", "-", "@", "＝", "＋", "－", "＠", "﹦", "﹢", "﹣", "﹫", "−"];
const separators = [",", ";", "\t", "|"];
const formula = /^[\s\p{Cc}\p{Cf}"]*[=+\-@−﹢﹣﹦﹫＋－＝＠]/u;

/** Reads cells as a spreadsheet with this separator does: a quote counts at the start of a cell only. */
function cellsOf(text: string, separator: string): readonly string[] {
  const cells: string[] = [];
  let [cell, isQuoted, isStart] = ["", false, true];
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (isQuoted && character === '"' && text.charAt(at + 1) === '"') {
      cell += character;
      at += 1;
    } else if (character === '"' && (isQuoted || isStart)) [isQuoted, isStart] = [!isQuoted, false];
    else if (!isQuoted && (character === separator || character === "\n" || character === "\r")) {
      cells.push(cell);
      [cell, isStart] = ["", true];
    } else [cell, isStart] = [cell + character, false];
  }
  return [...cells, cell];
}

const formulasIn = (text: string): readonly string[] =>
  separators.flatMap((separator) => cellsOf(text, separator).filter((cell) => formula.test(cell)));

const piece = fc.oneof(
  fc.constantFrom(
    ...signs,
    ...separators,
    '"',
    "'",
    " ",
    "\r",
    "\n",
    "\u00a0",
    "\ufeff",
    "\u200b",
    "\0",
    "cmd",
    "1",
    "é",
  ),
  fc.string({ maxLength: 3, unit: "grapheme" }),
);
const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(""));

describe("E33: text of users in CSV", () => {
  it("begins no formula in a spreadsheet that splits at commas, semicolons, tabs or bars", () => {
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 3 }), (cells) => {
        expect(formulasIn(formatCsv(["name"], [["7", ...cells.map(textCell), "8"]]))).toEqual([]);
      }),
      { numRuns: casesOf(8000) },
    );
  });

  it("stays as it is without a formula, and is escaped once", () => {
    for (const plain of ["laptop", "a-b", "ada+x@example.com", "2026-01-01", "x=1", "1,5", "'=1"])
      expect(textCell(plain)).toBe(plain);
    fc.assert(
      fc.property(text, (cell) => {
        expect(textCell(textCell(cell))).toBe(textCell(cell));
      }),
      { numRuns: casesOf(2000) },
    );
  });

  it.each(signs)(
    "is marked before %s: at the start, after spaces and quotes, and after any separator",
    (sign) => {
      expect(textCell(`${sign}cmd`)).toBe(`'${sign}cmd`);
      expect(textCell(` "${sign}cmd`)).toBe(`' "${sign}cmd`);
      for (const separator of [...separators, "\r", "\n"])
        expect(textCell(`a${separator} ${sign}cmd`)).toBe(`a${separator}' ${sign}cmd`);
    },
  );

  it("leaves numbers alone, negative ones too", async () => {
    const page = [{ a: -5, b_usd: -25_000_000_000n, c: "-5" }];
    async function* pages() {
      yield await Promise.resolve(page);
    }
    let csv = "";
    for await (const part of formatRows("csv", ["a", "b_usd", "c"], pages())) csv += part;
    expect(csv).toBe("a,b_usd,c\r\n-5,-2.50,'-5\r\n");
  });

  it("has objects with the same value, and without a formula after a semicolon or a quote", () => {
    fc.assert(
      fc.property(
        fc.dictionary(text, fc.oneof(text, fc.integer(), fc.array(text, { maxLength: 2 }))),
        (value) => {
          const cell = jsonCell(value);
          expect(JSON.parse(cell)).toEqual(JSON.parse(JSON.stringify(value)));
          for (const separator of [";", "\t"])
            expect(
              cellsOf(formatCsv(["7", cell], []), separator).filter((each) => formula.test(each)),
            ).toEqual([]);
        },
      ),
      { numRuns: casesOf(4000) },
    );
  });

  it("is written in linear time", () => {
    const long = "\t ".repeat(500_000);
    expect(textCell(long)).toBe(`'${long}`);
  });
});
