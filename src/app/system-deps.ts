/** What most parts of the composition root are built over. */
import type { Clock } from "../core/clock.js";
import type { Logger } from "../core/logger.js";
import type { Random } from "../core/random.js";
import type { Tracing } from "../core/telemetry/tracing.js";

/** Time, chance and the log, which most parts are built over. */
export interface SystemDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** The same, with the traces that runs and remote calls belong to. */
export interface TracedDeps extends SystemDeps {
  readonly tracing: Tracing;
}
