/** The messages between the server and the thread that reads PDF files. */

export interface PdfRequest {
  readonly type: "read";
  readonly bytes: Uint8Array;
}

interface RefusedPdf {
  readonly type: "refused";
  /** Why, as a clause. */
  readonly problem: string;
}

export type PdfOutcome = { readonly type: "text"; readonly pages: readonly string[] } | RefusedPdf;

export interface PdfReplies {
  readonly read: PdfOutcome;
}
