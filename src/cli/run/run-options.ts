/** What `hearth run` has of its command line and of the process that runs it. */
import type { LocalModels } from "../../app/models/models.js";
import type { Clock } from "../../core/clock.js";
import type { Effort } from "./settings.js";

export interface RunIo {
  /** Reads the models of this machine. */
  readonly open: () => Promise<LocalModels>;
  readonly environment: NodeJS.ProcessEnv;
  readonly home: string;
  readonly clock: Clock;
}

export interface RunOptions {
  readonly verbose?: true;
  readonly nowordwrap?: true;
  readonly hidethinking?: true;
  readonly format?: string;
  readonly keepalive?: string;
  /** False with `--no-history`. */
  readonly history: boolean;
  readonly think: Effort | null;
}
