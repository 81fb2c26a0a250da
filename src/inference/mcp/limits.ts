/** What a session may take. */
export interface McpLimits {
  /** Time of the connection and the list of tools together, and of each call. */
  readonly timeoutMs: number;
  /** Bytes of the result of a call. */
  readonly resultBytesMax: number;
  /** Tools that a server may list. */
  readonly toolsMax: number;
}

/** Bytes of a list of tools, over all of its pages. */
export const listBytesMax = 4 * 1024 * 1024;
/** Bytes of the answer to the end of a session. */
export const endBytesMax = 64 * 1024;
/** Pages of a list of tools. */
export const pagesMax = 100;
/** Bytes of the schema of one tool, and levels of nesting in it. */
export const schemaCharsMax = 65_536;
export const schemaDepthMax = 64;
/** UTF-16 units of a tool's name, of its description, and of a text of the server in an error. */
export const nameCharsMax = 256;
export const descriptionCharsMax = 16_384;
export const quotedCharsMax = 200;
/** Parts of a result. */
export const resultPartsMax = 1_000;
/** Bytes of the headers of an answer. */
export const headerBytesMax = 16 * 1024;
