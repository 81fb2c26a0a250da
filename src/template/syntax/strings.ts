/** The escape sequences of Python's texts. */
const escape = /\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|([0-7]{1,3})|([abfnrtv\\'"\n]))/g;
const characters: ReadonlyMap<string, string> = new Map([
  ["a", "\u0007"],
  ["b", "\b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
  ["v", "\v"],
  ["\n", ""],
]);

/** Returns the text that a literal between quotes means. A backslash before any other character stays. */
export function unescaped(literal: string): string {
  if (!literal.includes("\\")) return literal;
  return literal.replace(
    escape,
    (whole, two?: string, four?: string, eight?: string, octal?: string, character?: string) => {
      if (character !== undefined) return characters.get(character) ?? character;
      const code = octal === undefined ? parseInt(two ?? four ?? eight ?? "", 16) : parseInt(octal, 8);
      return code > 0x10ffff ? whole : String.fromCodePoint(code);
    },
  );
}
