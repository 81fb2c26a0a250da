/** `hearth run [model] [prompt]`: a chat in the terminal. */
import type { Command } from "commander";
import type { LoadedConfig } from "../../config/config.js";
import type { OpenModels } from "./chat.js";

/** Adds the command. @param open reads the models of this machine */
export function addRunCommand(program: Command, load: () => Promise<LoadedConfig>, open: OpenModels): void {
  program
    .command("run")
    .description("chat with a model in the terminal")
    .argument("[model]", "model ID or alias (default: the first model)")
    .argument(
      "[prompt...]",
      "send this prompt, with the images and sounds whose paths it has, and print the answer",
    )
    .action(async (model: string | undefined, prompt: readonly string[]) => {
      const { startChat } = await import("./chat.js");
      await startChat((await load()).config, open, model ?? null, prompt);
    });
}
