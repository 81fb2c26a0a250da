/** `hearth start`: runs the server in the foreground until it is stopped. */
import type { Command } from "commander";
import type { CommandLineSettings, LoadedConfig } from "../../config/config.js";
import type { ServeIo, ServeOptions } from "./serve.js";

/** Adds the command. */
export function addStartCommand(
  program: Command,
  load: (options: CommandLineSettings) => Promise<LoadedConfig>,
  io: ServeIo,
): void {
  program
    .command("start")
    .description("start the server")
    .option("--port <number>", "port to listen on (0: any free one)")
    .option("--host <address>", "address to listen on")
    .option("--new-database", "start with an empty database where the one that was there is missing or empty")
    .option("-q, --quiet", "do not print the address, the first key and the sign-in link")
    .action(async ({ newDatabase, quiet, ...settings }: CommandLineSettings & ServeOptions) => {
      const { serve } = await import("./serve.js");
      await serve(await load(settings), io, { newDatabase, quiet });
    });
}
