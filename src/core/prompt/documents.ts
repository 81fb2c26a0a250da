/** The port that reads PDF files. */

/** Where a file of a request comes from. */
export interface FileOrigin {
  /** The field of the request, for errors. */
  readonly param: string;
  readonly teamId: string;
}

export interface PdfReader {
  /**
   * Returns the text of each page; the same bytes always have the same text. A page without text is "", and at least one has some.
   * @throws HearthError `invalid_value` naming the field for a file that is encrypted, damaged, without text or too large; `overloaded`
   * when too many files wait or the machine is too busy; the signal's reason when it aborts before the file's turn.
   */
  read(bytes: Uint8Array, from: FileOrigin, signal: AbortSignal): Promise<readonly string[]>;
  close(): Promise<void>;
}
