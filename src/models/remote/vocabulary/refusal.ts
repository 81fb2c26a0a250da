/** Says why the files of a tokenizer cannot be used: a public clause that begins with the file and the field. */
export class TokenizerRefusal extends Error {}

/** Returns what the operating system calls an error of a file. */
export function readFileErrorCode(thrown: unknown): string {
  return thrown instanceof Error && "code" in thrown ? String(thrown.code) : "unknown error";
}
