/** What faults and checks work on. */
import type { Chance } from "../figures/chance.js";
import type { Books } from "../checks/books.js";
import type { Load } from "../clients/load.js";
import type { Observer } from "./observer.js";
import type { ChaosRecords } from "./records.js";
import type { ChaosServer } from "./server.js";
import type { ChaosWorld } from "./world.js";

export interface ChaosScene {
  readonly world: ChaosWorld;
  readonly servers: readonly ChaosServer[];
  readonly observer: Observer;
  readonly books: Books;
  readonly records: ChaosRecords;
  readonly load: Load;
  readonly chance: Chance;
}

export interface FaultReport {
  /** What happened, in words. */
  readonly what: string;
  /** How long it took until others had taken over; null where nothing had to be. */
  readonly takenOverMs: number | null;
}
