/**
 * The ratchet: what is over a line today may shrink, never grow. test/tidy-ratchet.json records each offender with its
 * measure; an entry that has become smaller, or is not needed any more, is asked to be lowered, so that it cannot grow back.
 */
export type Ratchet = Readonly<Record<string, number>>;

/** What is wrong between the measures and the record; `ceiling` is what no entry may lift. */
export function ratchetViolations(
  measured: ReadonlyMap<string, number>,
  limit: number,
  recorded: Ratchet,
  ceiling = Number.POSITIVE_INFINITY,
): string[] {
  const grown = [...measured].flatMap(([name, value]) => {
    const allowed = Math.min(recorded[name] ?? limit, ceiling);
    return value > Math.max(allowed, limit)
      ? [`${name} has ${value}, at most ${Math.max(allowed, limit)}`]
      : [];
  });
  const loose = Object.entries(recorded).flatMap(([name, value]) => {
    const now = measured.get(name);
    if (now === undefined || now <= limit) return [`${name} needs its entry (${value}) no more: remove it`];
    return now < value ? [`${name} shrank from ${value} to ${now}: lower its entry`] : [];
  });
  return [...grown, ...loose];
}
