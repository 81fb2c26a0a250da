/**
 * Thrown for a GGUF or ONNX file that cannot be used. `message` is a public clause without a path; texts quoted from
 * the file are sanitized.
 */
export class GgufRefusal extends Error {
  constructor(message: string) {
    super(message);
    this.name = "GgufRefusal";
  }
}

/**
 * Returns a text from a file in a form that is safe in a message: printable ASCII, at most 64 characters, in
 * single quotes.
 */
export function quoted(text: string): string {
  const clean = text.replace(/[^\x20-\x7e]/g, "?");
  return `'${clean.length > 64 ? `${clean.slice(0, 61)}...` : clean}'`;
}

/** Returns a number with thousands separators: 3,080,000. */
export function grouped(count: number): string {
  return count.toLocaleString("en-US");
}
