/** Why a GGUF file cannot be used. `message` is a public clause that names no path: whatever it quotes was cleaned. */
export class GgufRefusal extends Error {
  constructor(message: string) {
    super(message);
    this.name = "GgufRefusal";
  }
}

/** A text out of a file, fit to stand in a message: printable ASCII, at most 64 characters, in single quotes. */
export function quoted(text: string): string {
  const clean = text.replace(/[^\x20-\x7e]/g, "?");
  return `'${clean.length > 64 ? `${clean.slice(0, 61)}...` : clean}'`;
}

/** A count as people write it: 3,080,000. */
export function grouped(count: number): string {
  return count.toLocaleString("en-US");
}
