import { describe, expect, it } from "vitest";
import { operatorSocket } from "../../src/store/data-folder.js";

describe("the socket by which commands reach the server", () => {
  it("is a file in the data folder, where its path is short enough for every system", () => {
    expect(operatorSocket({ data: "/srv/hearth" }, "linux")).toBe("/srv/hearth/operator/socket");
    expect(operatorSocket({ data: `/srv/${"d".repeat(82)}` }, "linux")).toHaveLength(103);
    expect(operatorSocket({ data: `/srv/${"d".repeat(83)}` }, "darwin")).toBeNull();
  });

  it("is a pipe on Windows, one for each data folder, whose name has no part of a path", () => {
    const name = (data: string) => operatorSocket({ data }, "win32") ?? "";
    const pipe = name("C:\\Users\\Ada\\AppData\\Local\\hearth");
    expect(pipe).toMatch(/^\\\\\.\\pipe\\hearth-[0-9a-f]{64}$/);
    expect(name("c:/users/ada/appdata/local/x/../hearth/")).toBe(pipe);
    expect(name("C:\\Users\\Ada\\other")).not.toBe(pipe);
    expect(name(`C:\\${"long\\".repeat(60)}`)).toHaveLength(pipe.length);
  });
});
