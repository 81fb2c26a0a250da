/** What is looked for: each source returns what is wrong now, from what it reads. */
import type { Alert, AlertChannel, Condition } from "./alert.js";

/** What a source may need to know besides what it reads. */
interface Situation {
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly channels: readonly AlertChannel[];
  /** Alerts that go on. */
  readonly active: readonly Alert[];
}

export type ConditionSource = (situation: Situation) => Promise<readonly Condition[]>;
