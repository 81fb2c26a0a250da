/** Rules that hold for every command of the program. */
import { describe, expect, it } from "vitest";
import { examples, listCommands } from "../../src/cli/examples.js";
import { commandTree } from "../kit/command-tree.js";

describe("every command", () => {
  const commands = listCommands(commandTree());

  it("has an example in its help, and there is no example of a command that does not exist", () => {
    const paths = commands.map(([path]) => path);
    expect(paths.filter((path) => (examples[path] ?? []).length === 0)).toEqual([]);
    expect(Object.keys(examples).filter((path) => !paths.includes(path))).toEqual([]);
  });

  it("is described by a sentence without a capital letter and a period, and so are its options", () => {
    const wrong = commands.flatMap(([path, command]) =>
      [
        { what: path, text: command.description() },
        ...command
          .createHelp()
          .visibleOptions(command)
          .map(({ flags, description }) => ({ what: `${path} ${flags}`, text: description })),
      ].flatMap(({ what, text }) =>
        /^[a-z"]|^[A-Z]{2}|^UTC/.test(text) && !text.endsWith(".") ? [] : [`${what}: ${text}`],
      ),
    );
    expect(wrong).toEqual([]);
  });

  it("that lists has ls, list, --json and --wide; one that removes has rm and delete", () => {
    const wrong = commands.flatMap(([path, command]) => {
      const name = command.name();
      const options = command.options.map(({ long }) => long);
      if (name === "ls")
        return command.aliases().includes("list") && options.includes("--json") && options.includes("--wide")
          ? []
          : [path];
      return name !== "rm" || command.aliases().includes("delete") ? [] : [path];
    });
    expect(wrong).toEqual([]);
  });
});
