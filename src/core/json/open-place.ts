interface Level {
  /** The key or the index of the value that is being written; null before the first. */
  at: string | number | null;
  readonly isObject: boolean;
}

/**
 * Returns the JSON pointer of the value that is being written at the end of an incomplete JSON text. Text before the first bracket is
 * skipped; null where there is no bracket.
 */
export function findOpenPlace(text: string): string | null {
  const levels: Level[] = [];
  let [begun, expectsKey] = [false, false];
  for (const [lexeme] of text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{},:]/gsu)) {
    const level = levels.at(-1);
    if (lexeme === "{" || lexeme === "[") {
      begun = true;
      levels.push({ at: lexeme === "[" ? 0 : null, isObject: lexeme === "{" });
      expectsKey = lexeme === "{";
    } else if (lexeme === "}" || lexeme === "]") levels.pop();
    else if (lexeme === "," && level !== undefined) {
      if (typeof level.at === "number") level.at += 1;
      expectsKey = level.isObject;
    } else if (lexeme.startsWith('"') && expectsKey && level !== undefined) {
      level.at = toKey(lexeme);
      expectsKey = false;
    }
  }
  if (!begun) return null;
  return levels.flatMap(({ at }) => (at === null ? [] : [`/${escape(String(at))}`])).join("");
}

function toKey(written: string): string {
  try {
    return String(JSON.parse(written));
  } catch {
    return written.slice(1, -1);
  }
}

function escape(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}
