import { describe, expect, it } from "vitest";
import { listCommands } from "../../src/cli/examples.js";
import { runCommand, type CommandEnd } from "../kit/command.js";
import { commandTree } from "../kit/command-tree.js";
import { commandEnvironment } from "./models/environment.js";

/** Returns what runs commands in this process, on a data folder of their own, and returns what they printed. */
function program() {
  const { environment } = commandEnvironment();
  return (line: string): Promise<CommandEnd> => runCommand(line.split(" "), environment);
}

describe("--quiet", () => {
  it("is an option of every command", () => {
    const without = listCommands(commandTree()).filter(
      ([, { options }]) => !options.some(({ long }) => long === "--quiet"),
    );
    expect(without.map(([path]) => path)).toEqual([]);
  });

  it("prints only the secret, the link or the ID of what is made", async () => {
    const hearth = program();
    for (const [line, bare] of [
      ["teams create lab -q", /^[0-9a-f-]{36}\n$/],
      ["members add ada@example.com --quiet", /^[0-9a-f-]{36}\n$/],
      ["members sign-in-link ada@example.com -q", /^https?:\S+\n$/],
      ["keys create --name laptop --team lab -q", /^hk-\S+\n$/],
      ["keys rotate laptop -q", /^hk-\S+\n$/],
      ["management-keys create -q", /^hm-\S+\n$/],
    ] as const)
      expect(await hearth(line)).toEqual({ code: 0, out: expect.stringMatching(bare) as string, err: "" });
  });

  it("prints nothing of a change but its error, JSON all the same, and lists without a word about an empty one", async () => {
    const hearth = program();
    await hearth("teams create lab");
    for (const line of [
      "teams block lab -q",
      "credits add lab 5 -q",
      "groups create chats --acl api-key:endpoint:chat -q",
      "groups rm chats -q",
      "alias mini hearth-tiny-5m -q",
      "alias --rm mini -q",
    ])
      expect(await hearth(line)).toEqual({ code: 0, out: "", err: "" });
    expect(await hearth("teams block nobody -q")).toEqual({
      code: 1,
      out: "",
      err: expect.stringContaining("Cannot find team 'nobody'.") as string,
    });
    expect(JSON.parse((await hearth("teams unblock lab -q --json")).out)).toMatchObject({ name: "lab" });
    expect((await hearth("teams ls -q")).out).toMatch(/^NAME .*\nlab /);
    expect(await hearth("groups ls")).toMatchObject({
      err: expect.stringMatching(/^No access groups/) as string,
    });
    expect((await hearth("groups ls -q")).err).toBe("");
  });
});
