/** Randomness, injected so that tests control it. */
export interface Random {
  /** Returns `size` cryptographically strong bytes. */
  bytes(size: number): Uint8Array;
  /** Returns a new UUID of version 7, which is ordered by time. */
  id(): string;
}
