/** Counts over the last 24 hours, by name, in memory. */
const dayMs = 86_400_000;

export function createDailyCounts() {
  const times = new Map<string, readonly number[]>();
  return {
    /** Counts one more unless there were `max` in the last 24 hours. @param now milliseconds since the epoch @returns whether it was counted */
    admit(name: string, max: number, now: number): boolean {
      const recent = (times.get(name) ?? []).filter((time) => time > now - dayMs && time <= now);
      const isAdmitted = recent.length < max;
      times.set(name, isAdmitted ? [...recent, now] : recent);
      return isAdmitted;
    },
  };
}
