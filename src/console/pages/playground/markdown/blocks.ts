/** Splits a text that grows into blocks of Markdown, and reads again only the end of what it has read before. Pure. */
import { Lexer, type MarkedOptions, type Token, type Tokens } from "marked";

export interface Block {
  /** Where the block begins in the text. It identifies the block. */
  readonly start: number;
  readonly raw: string;
  readonly token: Token;
}

/** Creates a reader for one text. @param options of marked */
export function createBlockReader(options: MarkedOptions) {
  let last = "";
  let settled: readonly Block[] = [];
  let settledEnd = 0;
  let links: Lexer["tokens"]["links"] = {};
  let all: readonly Block[] = [];
  return {
    /** Returns the blocks of a text. Those that have not changed since the last call are the same objects. */
    read(given: string): readonly Block[] {
      // As marked does, so that the lengths of tokens match the text.
      const text = given.replace(/\r\n?/g, "\n");
      if (text === last) return all;
      if (!text.startsWith(last)) {
        settled = [];
        settledEnd = 0;
        links = {};
      }
      last = text;
      const lexer = new Lexer(options);
      // Blocks refer to links that were defined before them. A definition that is still growing is not kept.
      lexer.tokens.links = { ...links };
      const { blocks, definitions } = toBlocks(lexer.lex(text.slice(settledEnd)), settledEnd);
      const open = blocks.slice(-1);
      const [from = text.length] = open.map(({ start }) => start);
      // Text that is added can change the last block only.
      if (blocks.length > 1) {
        settled = [...settled, ...blocks.slice(0, -1)];
        settledEnd = from;
        for (const { start, token } of definitions) if (start < from) links[token.tag] ??= token;
      }
      all = [...settled, ...open];
      return all;
    },
  };
}

interface Definition {
  readonly start: number;
  readonly token: Tokens.Def;
}

function toBlocks(
  tokens: readonly Token[],
  offset: number,
): { readonly blocks: readonly Block[]; readonly definitions: readonly Definition[] } {
  const blocks: Block[] = [];
  const definitions: Definition[] = [];
  let start = offset;
  for (const token of tokens) {
    if (isDefinition(token)) definitions.push({ start, token });
    else if (token.type !== "space") blocks.push({ start, raw: token.raw, token });
    start += token.raw.length;
  }
  return { blocks, definitions };
}

function isDefinition(token: Token): token is Tokens.Def {
  return token.type === "def";
}
