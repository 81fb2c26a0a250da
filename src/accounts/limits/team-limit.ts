import type { Limits } from "../../core/limits.js";
import type { Write } from "../../store/write.js";

/** Stands for a model in limits that hold of each model which has none of its own. */
export const everyModel = "*";

/** What a team may ask of a model. */
export interface TeamLimits extends Limits {
  readonly teamId: string;
  /** Id of the model, or `everyModel`: then each model is counted by itself. */
  readonly model: string;
}

export interface TeamLimitStore {
  /** The limits of that very model, or else those of every model; null where there are neither. */
  findFor(teamId: string, model: string): Promise<TeamLimits | null>;
  /** In order of model, those of every model first. */
  list(teamId: string): Promise<readonly TeamLimits[]>;
  /** A commit of it fails with `conflict` when the team has limits on that model already. */
  insertion(limits: TeamLimits): Write;
  /** What `before` becomes; a commit of it fails with `conflict` when they are not as `before` any more. */
  replacement(before: TeamLimits, after: TeamLimits): Write;
  /** A commit of it fails with `conflict` when they are not as they were read any more. */
  removal(limits: TeamLimits): Write;
}
