/**
 * A change that a store has prepared and not yet made. Stores give them out so that several of them, of different tables,
 * are made together: all or none.
 */
export interface Write {
  /** What is changed, for the log. */
  readonly table: string;
}

/** Where prepared changes are made. */
export interface Writes {
  /**
   * Makes all of them in one transaction, in order; resolves when they are on the disk itself, so that neither a killed process nor
   * a power cut takes them back.
   * @throws HearthError `conflict`, with nothing made, when one of them was to change what is not so any more.
   */
  commit(writes: readonly Write[]): Promise<void>;
}
