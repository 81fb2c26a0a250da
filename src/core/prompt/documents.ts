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
   * when too many files wait or the machine is too busy.
   */
  read(bytes: Uint8Array, from: FileOrigin): Promise<readonly string[]>;
  close(): Promise<void>;
}
