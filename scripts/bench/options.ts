/** What the command line asks of every section. */
export interface SectionOptions {
  /** The large model instead of the small one. */
  readonly large: boolean;
  /** Requests of the load section. */
  readonly requests: number;
}
