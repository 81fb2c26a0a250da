import type { OperatorModels } from "../../app/app.js";
import type { LoadedConfig } from "../../config/config.js";
import type { Clock } from "../../core/clock.js";
import type { ImportFolders } from "./import-folders.js";

/** What the commands that manage models have in common. */
export interface ModelCommands {
  readonly clock: Clock;
  readonly out: { write(text: string): unknown };
  /** Reads the models of the configured folders. */
  readonly open: () => Promise<OperatorModels>;
  readonly load: () => Promise<LoadedConfig>;
  /** Folders in which other programs keep their models. */
  readonly folders: ImportFolders;
}
