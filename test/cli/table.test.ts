import { describe, expect, it } from "vitest";
import { formatTable, type TableColumn } from "../../src/cli/table.js";

interface Row {
  readonly id: string;
  readonly name: string;
  readonly count: number;
}

const columns: readonly TableColumn<Row>[] = [
  { title: "ID", cell: ({ id }) => id, kind: "id" },
  { title: "NAME", cell: ({ name }) => name, charsMin: 8 },
  { title: "COUNT", cell: ({ count }) => String(count), kind: "number", leftOut: 2 },
  { title: "HALF", cell: ({ count }) => String(count / 2), kind: "number", leftOut: 1 },
];
const rows: readonly Row[] = [
  { id: "0193a7c2-5b1e-7000-8000-000000000001", name: "a name of thirty characters ok", count: 8 },
  { id: "0193a7c2-5b1e-7000-8111-000000000002", name: "b", count: 1000 },
];
const lines = (width: number | null): readonly string[] => formatTable(columns, rows, width).split("\n");

describe("a table", () => {
  it("aligns its columns for any number of rows, numbers to the right", () => {
    const many = Array.from({ length: 300_000 }, (_, at) => ({ id: `key-${at}`, name: "n", count: at }));
    const all = formatTable(columns.slice(0, 3), many).split("\n");
    expect(all.slice(0, 2)).toEqual(["ID           NAME    COUNT", "key-0        n           0"]);
    expect(all.at(-2)).toBe("key-299999   n      299999");
  });

  it("has its full width where no width is given", () => {
    expect(lines(null)[1]).toBe(
      "0193a7c2-5b1e-7000-8000-000000000001   a name of thirty characters ok       8      4",
    );
  });

  it("shortens ids to beginnings that distinguish them, before it leaves out columns and shortens texts", () => {
    expect(lines(80)).toEqual([
      "ID                      NAME                             COUNT   HALF",
      "0193a7c2-5b1e-7000-80   a name of thirty characters ok       8      4",
      "0193a7c2-5b1e-7000-81   b                                 1000    500",
      "",
    ]);
    expect(lines(60)).toEqual([
      "ID                      NAME                    COUNT   HALF",
      "0193a7c2-5b1e-7000-80   a name of thirty cha…       8      4",
      "0193a7c2-5b1e-7000-81   b                        1000    500",
      "",
    ]);
    expect(lines(46)).toEqual([
      "ID                      NAME             COUNT",
      "0193a7c2-5b1e-7000-80   a name of thi…       8",
      "0193a7c2-5b1e-7000-81   b                 1000",
      "(--wide shows also HALF)",
      "",
    ]);
  });

  it("shows times to the minute where it would be too wide", () => {
    const times: readonly TableColumn<string>[] = [
      { title: "TIME", cell: (time) => time, kind: "time" },
      { title: "TEXT", cell: () => "a text of twenty and more characters", charsMin: 8 },
    ];
    const all = ["2026-11-28T20:22:07.512Z", "2026-12-01T00:00:00Z", "never"];
    const first = (width: number | null) =>
      formatTable(times, all, width)
        .split("\n")
        .slice(1, 4)
        .map((line) => line.split(" ")[0]);
    expect(first(null)).toEqual(all);
    expect(first(50)).toEqual(["2026-11-28T20:22Z", "2026-12-01T00:00Z", "never"]);
  });

  it.each([40, 50, 60, 80, 100])("is at most %d columns wide, where its texts can be as short", (width) => {
    for (const line of lines(width)) expect(line.length).toBeLessThanOrEqual(width);
  });

  it("counts the columns of a terminal: characters that take two, and those that take none", () => {
    const named = rows.map((row, at) => ({ ...row, name: at === 0 ? "東京の大学の研究室" : "e\u0301" }));
    expect(formatTable(columns.slice(1, 3), named)).toBe(
      "NAME                 COUNT\n東京の大学の研究室       8\ne\u0301                     1000\n",
    );
    expect(formatTable(columns.slice(1, 3), named, 20).split("\n")[1]).toBe("東京の大学…       8");
  });

  it("shortens ids that were drawn, and no names that stand in their place", () => {
    const named = rows.map((row, at) =>
      at === 0 ? row : { ...row, id: "everything-that-students-may-call" },
    );
    const [, first, second] = formatTable(columns, named, 60).split("\n");
    expect(first).toMatch(/^0193a7c2-5b1e {3}/);
    expect(second).toMatch(/^everything-that-students-may-call {3}/);
  });
});
