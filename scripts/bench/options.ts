/** What the command line asks of every section. */
export interface SectionOptions {
  /** The large model instead of the small one; ten times the usage; drawings of 512 pixels. */
  readonly large: boolean;
  /** Requests of the load section. */
  readonly requests: number;
  /** The schema section's. */
  readonly schema: {
    /** Folder of the schemas with tests and of the official suite; null: the section is left out. */
    readonly data: string | null;
    /** So many schemas, evenly from the whole; null: all. */
    readonly limit: number | null;
    /** Only files with this in their name; "": all. */
    readonly only: string;
    /** Lists what fails, and why. */
    readonly verbose: boolean;
  };
}
