/** The options of the command line, for all sections. */
export interface SectionOptions {
  /** Use the large model instead of the small one, ten times the usage, and images of 512 pixels. */
  readonly large: boolean;
  /** The number of requests of the load section. */
  readonly requests: number;
  /** The address of an empty PostgreSQL database, for the section of that name; null: skip it. */
  readonly postgres: string | null;
  /** Options of the schema section. */
  readonly schema: {
    /** The folder of the schemas with tests and of the official suite; null: skip the section. */
    readonly data: string | null;
    /** The number of schemas, sampled evenly; null: all. */
    readonly limit: number | null;
    /** Only files with this in their name; "": all. */
    readonly only: string;
    /** Lists failures with their reasons. */
    readonly verbose: boolean;
  };
}
