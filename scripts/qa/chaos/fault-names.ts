/** What goes wrong in a round. */
const everywhere = [
  "kill",
  "stop",
  "postgres-fast",
  "postgres-immediate",
  "clock",
  "cut-database",
  "cut-engine",
  "cut-redis",
  "redis-lost",
] as const;

/** What a proxy cannot do. */
const inNamespaces = ["cut-clients", "cut-network"] as const;

export type FaultName = (typeof everywhere)[number] | (typeof inNamespaces)[number];

export function faultNames(namespaces: boolean): readonly FaultName[] {
  return namespaces ? [...everywhere, ...inNamespaces] : everywhere;
}
