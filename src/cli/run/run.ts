/** `hearth run [model] [prompt]`: a chat in the terminal. */
import { Option, type Command } from "commander";
import type { LoadedConfig } from "../../config/config.js";
import type { RunIo, RunOptions } from "./run-options.js";
import { thinkEfforts } from "./settings.js";

type Written = Omit<RunOptions, "think"> & Readonly<Record<string, unknown>>;

/** Adds the command. */
export function addRunCommand(program: Command, load: () => Promise<LoadedConfig>, io: RunIo): void {
  const command = program
    .command("run")
    .description("chat with a model in the terminal")
    .argument("[model]", "model ID or alias (default: the first model)")
    .argument(
      "[prompt...]",
      "send this prompt, with the images and sounds whose paths it has, and print the answer",
    )
    .option("--verbose", "print the times and the rates of each answer")
    .option("--think", "let a reasoning model reason; --think=off, low, medium or high")
    .option("--hidethinking", "print no reasoning")
    .option("--format <format>", "json, a JSON Schema, or a file with one: the form of the answer")
    .option("--keepalive <time>", "how long the model stays in memory unused, such as 10m, 0 or -1")
    .option("--nowordwrap", "leave long lines to the terminal")
    .option("--no-history", "keep no history of what is typed");
  // An option whose value may be left out would take the prompt as its value.
  for (const effort of thinkEfforts) command.addOption(new Option(`--think=${effort}`).hideHelp());
  command.action(async (model: string | undefined, prompt: readonly string[], written: Written) => {
    const { startChat } = await import("./start.js");
    const { config } = await load();
    const effort = thinkEfforts.find((each) => written[`think=${each}`] === true);
    const options = { ...written, think: effort ?? (written["think"] === true ? "on" : null) };
    await startChat({ config, io, options, command }, model ?? null, prompt);
  });
}
