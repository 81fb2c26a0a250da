/** What goes wrong in a round. */
export const faultNames = [
  "kill",
  "stop",
  "postgres-fast",
  "postgres-immediate",
  "clock",
  "cut-database",
  "cut-engine",
  "redis-lost",
] as const;

export type FaultName = (typeof faultNames)[number];
