/** An independent count of admitted requests, by their key and by their team. */
import type { Limits } from "../../../src/core/limits.js";
import { findExcess, windowsMs, type Admitted } from "../checks/limits.js";
import { holds } from "../checks/violation.js";
import { teamLimits, simulatedTeams } from "./world.js";

/** Older requests cannot share a window with one that is still running. */
const rememberedMs = 6 * 60 * 60 * 1000;

export class AdmittedRequests {
  readonly #admitted = new Map<string, Admitted[]>();

  /** Restarted processes count from nothing. */
  restart(): void {
    this.#admitted.clear();
  }

  /** Counts a request that was answered. @param at when it arrived. @throws Violation */
  add(key: string, teamId: string, at: number): void {
    const own = simulatedTeams.flatMap(({ keys }) => keys).find(({ secret }) => secret === key);
    this.#add(key, at, own?.limits ?? null);
    this.#add(teamId, at, teamId === teamLimits.teamId ? teamLimits.limits : null);
  }

  #add(scope: string, at: number, limits: Limits | null): void {
    if (limits === null) return;
    const recent = (this.#admitted.get(scope) ?? []).filter(({ from }) => from > at - rememberedMs);
    const admitted = [...recent, { from: at, until: at }];
    this.#admitted.set(scope, admitted);
    for (const name of ["qps", "qpm"] as const) {
      const limit = limits[name];
      if (limit === null) continue;
      const excess = findExcess(admitted, windowsMs[name], () => limit);
      holds(
        excess === null,
        "limits are never exceeded",
        () => `${scope} was admitted ${excess} (${name} ${limit})`,
      );
    }
  }
}
