import { describe, expect, it } from "vitest";
import { formatTable } from "../../src/cli/table.js";

describe("a table", () => {
  it("aligns its columns for any number of rows", () => {
    const rows = Array.from({ length: 300_000 }, (_, at) => [`key-${at}`, "active"]);
    const lines = formatTable(["ID", "STATE"], rows).split("\n");
    expect(lines.slice(0, 2)).toEqual(["ID           STATE", "key-0        active"]);
    expect(lines.at(-2)).toBe("key-299999   active");
  });
});
