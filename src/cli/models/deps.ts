import type { LocalModels } from "../../app/models/models.js";
import type { LoadedConfig } from "../../config/config.js";
import type { Clock } from "../../core/clock.js";
import type { UsingOperator } from "../command-helpers.js";
import type { Printed } from "../listing.js";
import type { LongCommandIo } from "../progress.js";
import type { ImportFolders } from "./import-folders.js";

/** What the commands that manage models have in common. */
export interface ModelCommands extends Printed, LongCommandIo {
  readonly clock: Clock;
  /** Reads the models of the configured folders. */
  readonly open: () => Promise<LocalModels>;
  /** Leads to the interface of the operator, which changes models. */
  readonly using: UsingOperator;
  readonly load: () => Promise<LoadedConfig>;
  /** Folders in which other programs keep their models. */
  readonly folders: ImportFolders;
  /** The compiled thread that measures the bandwidth of memory. */
  readonly bandwidthWorkerUrl: URL;
}
