/** What a client of the load works with. */
import type { Chance } from "../world/chance.js";
import type { Records } from "./records.js";
import type { ChaosServer } from "./server.js";

export interface Load {
  readonly servers: readonly ChaosServer[];
  readonly records: Records;
  readonly chance: Chance;
  readonly isOver: () => boolean;
}
