import { Lexer } from "marked";
import { expect, test } from "vitest";
import { createBlockReader } from "../../../src/console/pages/playground/markdown/blocks.js";

const text = `# Title

[site]: https://example.com

A paragraph of
two lines, with [a link][site].

- one
- two

  inside two

\`\`\`js
const a = 1;

# not a title
\`\`\`

| a | b |
|---|---|
| 1 | 2 |

> quoted\r
> twice

The [end][site].
`;

test("a text that grows by one character has the blocks of the whole text, and keeps those that are complete", () => {
  const reader = createBlockReader({});
  for (let end = 1; end <= text.length; end++) reader.read(text.slice(0, end));
  const whole = new Lexer({}).lex(text).filter(({ type }) => type !== "space" && type !== "def");
  const blocks = reader.read(text);
  expect(blocks.map(({ token }) => token)).toEqual(whole);
  const grown = reader.read(`${text}\nMore.`);
  expect(grown.slice(0, -2).every((block, index) => block === blocks[index])).toBe(true);
});

test("only the last block is read again", () => {
  const reader = createBlockReader({});
  const long = "A paragraph.\n\n".repeat(1000);
  const before = reader.read(`${long}The e`);
  const after = reader.read(`${long}The end.`);
  expect(after.filter((block, index) => block !== before[index])).toHaveLength(1);
});

test("another text begins anew", () => {
  const reader = createBlockReader({});
  reader.read("# One\n\nTwo\n\nThree");
  expect(reader.read("Four").map(({ raw, start }) => ({ raw, start }))).toEqual([{ raw: "Four", start: 0 }]);
});
