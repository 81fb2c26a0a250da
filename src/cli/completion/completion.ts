/** `hearth completion bash|zsh|fish` prints a script for a shell; the script calls the hidden `hearth complete` at each Tab. */
import { Argument, type Command } from "commander";
import type { CompletionIo } from "./look-up.js";
import { scripts, shells, type CompletionShell } from "./scripts.js";

/** Adds both commands. */
export function addCompletionCommands(program: Command, io: CompletionIo): void {
  program
    .command("completion")
    .description("print a script that completes commands, options and names in a shell")
    .addArgument(new Argument("<shell>", "the shell").choices(shells))
    .action((shell: CompletionShell) => void io.out.write(scripts[shell]));
  program
    .command("complete", { hidden: true })
    .argument(
      "[words...]",
      "the words of a command line after `hearth`, of which the last one is being typed",
    )
    .helpOption(false)
    .action(async (words: readonly string[]) => {
      const { printCandidates } = await import("./look-up.js");
      await printCandidates(program, words, io);
    });
}
