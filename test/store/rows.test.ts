import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { createRowReader, toStored } from "../../src/store/rows.js";
import { convertedColumns } from "../../src/store/tables.js";

describe("a row of a result", () => {
  it("has its columns in camelCase, and the keys of JSON values as they are", () => {
    const read = createRowReader(["id", "create_time", "object_before", "tags"]);
    const before = { team_id: "a", aclStrings: ["api_key:x"] };
    expect(read(["e", 7, JSON.stringify(before), '["a_b"]'])).toEqual({
      id: "e",
      createTime: 7,
      objectBefore: before,
      tags: ["a_b"],
    });
  });

  it("has booleans, JSON and bytes of the same values that were stored, and null as null", () => {
    const read = createRowReader([
      "blocked",
      "disabled",
      "streamed",
      "acls",
      "ip_ranges",
      "hash",
      "previous_hash",
    ]);
    const values = [true, false, null, ["a"], null, Buffer.from([1, 255]), null];
    expect(read(toStored(values))).toEqual({
      ...{ blocked: true, disabled: false, streamed: null, acls: ["a"], ipRanges: null },
      ...{ hash: new Uint8Array([1, 255]), previousHash: null },
    });
  });

  it("has a joined table as an object, which is null when nothing was joined", () => {
    const read = createRowReader(["id", "team.id", "team.keeps_bodies"]);
    expect(read(["k", "t", 1])).toEqual({ id: "k", team: { id: "t", keepsBodies: true } });
    expect(read(["k", null, null])).toEqual({ id: "k", team: null });
  });
});

it("every column that the schema restricts to 0 and 1 is a boolean of tables.ts, and no other", () => {
  const names = (kind: string) => {
    const schema = readFileSync(new URL(`../../src/store/schema/${kind}.sql`, import.meta.url), "utf8");
    const found = [...schema.matchAll(/check \((\w+) in \(0, 1\)\)/g)].map(([, name = ""]) => name);
    return [...new Set(found)].sort();
  };
  const read = createRowReader(names("sqlite"));
  expect(names("postgres")).toEqual(names("sqlite"));
  const booleans = Object.entries(convertedColumns).filter(([, conversion]) => conversion === "boolean");
  expect(Object.keys(read([])).sort()).toEqual(booleans.map(([name]) => name).sort());
});
