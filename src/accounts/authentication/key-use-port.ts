/** When keys were last used. Times are milliseconds since the epoch. */
export interface KeyUseStore {
  /** Writes down when each key of an id was last used, of either kind, all or none; a key that is gone is passed over. */
  write(lastUseTimes: ReadonlyMap<string, number>): Promise<void>;
}
