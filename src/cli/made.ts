/** What a command prints that makes something: the text for a person, one JSON object, or only the secret, link or ID for a script. */
import { formatJson } from "./table.js";
import type { TextOut } from "./terminal.js";

export interface MadeOptions {
  readonly json?: true;
  readonly quiet?: true;
}

interface Made {
  /** The value for `--json`. */
  readonly value: unknown;
  readonly text: string;
  /** What `--quiet` prints, without an end of line. */
  readonly bare: string;
}

export function printMade(out: TextOut, { json, quiet }: MadeOptions, { value, text, bare }: Made): void {
  if (json === true) out.write(formatJson(value));
  else out.write(quiet === true ? `${bare}\n` : text);
}
