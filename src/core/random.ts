/** Chance, injected like time. */
export interface Random {
  /** `size` cryptographically strong bytes. */
  bytes(size: number): Uint8Array;
  /** A new random identifier: a UUID, ordered by time (version 7). */
  id(): string;
}
