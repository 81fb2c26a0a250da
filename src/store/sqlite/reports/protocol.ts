/** What is sent between a server and the thread that reads for its reports. */

/** A statement, or null for more rows of the statement before. */
export type ReportQuestion = { readonly text: string; readonly parameters: readonly unknown[] } | null;

export type ReportAnswer =
  | {
      /** At most `chunkRows`. */
      readonly rows: readonly unknown[];
      /** Whether there are more, which the server asks for. */
      readonly hasMore: boolean;
    }
  | { readonly error: { readonly message: string; readonly code: string } };

/** Rows of an answer: what the server receives at once holds its event loop for about a millisecond. */
export const chunkRows = 250;
