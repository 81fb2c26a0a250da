/** An independent count of admitted requests: no window of any limit ever has more than the limit. */
import type { Limits } from "../../../../src/core/limits.js";
import { holds } from "./violation.js";
import { teamLimits, teams } from "../world.js";

const spansMs = { qps: 1000, qpm: 60_000 } as const;
/** Older requests cannot share a window with one that is still running. */
const rememberedMs = 6 * 60 * 60 * 1000;

export class AdmittedRequests {
  readonly #times = new Map<string, number[]>();

  /** Restarted processes count from nothing. */
  restart(): void {
    this.#times.clear();
  }

  /** Counts a request that was answered. @param at when it arrived. @throws Violation */
  add(key: string, teamId: string, at: number): void {
    const own = teams.flatMap(({ keys }) => keys).find(({ secret }) => secret === key);
    this.#add(key, at, own?.limits ?? null);
    this.#add(teamId, at, teamId === teamLimits.teamId ? teamLimits.limits : null);
  }

  #add(scope: string, at: number, limits: Limits | null): void {
    if (limits === null) return;
    const times = (this.#times.get(scope) ?? []).filter((time) => time > at - rememberedMs);
    times.push(at);
    times.sort((one, other) => one - other);
    this.#times.set(scope, times);
    for (const name of ["qps", "qpm"] as const) {
      const limit = limits[name];
      if (limit === null) continue;
      for (const [index, first] of times.entries()) {
        const next = times[index + limit];
        const within = next !== undefined && next - first < spansMs[name];
        holds(
          !within,
          "limits are never exceeded",
          () => `${scope} was admitted more than ${limit} (${name})`,
        );
      }
    }
  }
}
