/** `--quiet` of every command: no progress, no next step, and nothing of a command whose text only says that something was done. */
import type { Command } from "commander";
import { listCommands } from "./examples.js";
import type { TextOut } from "./terminal.js";

/** Commands whose text only confirms a change; the text of every other command is what it was called for. */
const confirming: ReadonlySet<string> = new Set([
  ...["rm", "set", "unload", "prices set", "prices compare set", "prices compare rm"],
  ...["keys update", "keys disable", "keys enable", "keys block", "keys unblock", "keys rm"],
  ...["groups create", "groups set", "groups rm"],
  ...[
    "teams rename",
    "teams block",
    "teams unblock",
    "teams keep-bodies",
    "teams forget-bodies",
    "teams allow",
  ],
  ...["members update", "members rm", "management-keys rm"],
  ...["credits add", "credits refund", "credits adjust", "budgets set"],
  ...["requests cancel", "requests forget", "alerts test", "alerts rm", "batches cancel", "files rm"],
]);

/** Returns an output that can be silenced. */
export function silenceable(out: TextOut): { readonly out: TextOut; readonly silence: () => void } {
  let isSilent = false;
  return {
    silence: () => (isSilent = true),
    out: {
      write: (text) => (isSilent ? undefined : out.write(text)),
      control: (sequence) => {
        if (isSilent) return undefined;
        return out.control === undefined ? out.write(sequence) : out.control(sequence);
      },
      get isTTY() {
        return out.isTTY === true;
      },
      get columns() {
        return out.columns ?? 80;
      },
    },
  };
}

/**
 * Adds the option to the commands that have none of their own. Call it after all commands were added.
 * @param silence stops the output of a command that was called with it
 */
export function addQuiet(program: Command, silence: () => void): void {
  for (const [path, command] of listCommands(program)) {
    if (command.options.some(({ long }) => long === "--quiet")) continue;
    const isConfirming = confirming.has(path);
    command.option(
      "-q, --quiet",
      isConfirming ? "print nothing but errors" : "print nothing but what is asked for",
    );
    if (!isConfirming) continue;
    command.hook("preAction", () => {
      const { quiet, json } = command.opts<{ readonly quiet?: true; readonly json?: true }>();
      if (quiet === true && json !== true) silence();
    });
  }
}
