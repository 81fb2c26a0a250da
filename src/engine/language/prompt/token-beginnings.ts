/** Finds the tokens of a vocabulary that go on with a known JSON text. */

export interface TokenText {
  readonly token: number;
  readonly text: string;
}

type Lists = ReadonlyMap<string, readonly TokenText[]>;

/** The tokens that begin with one character after white space. */
interface Group {
  readonly all: readonly TokenText[];
  /** By the text after white space, up to the end of its first string, or to white space outside of it. */
  outside: Lists | null;
  /** By the text up to the end of the string in which it begins. */
  inString: Lists | null;
}

/** White space as vocabularies write it, at the beginning of a token. */
const writtenSpace = /^[\s\u2581\u0120\u010a\u0109\u010d]*/;
/** A token of one byte, as it is written in vocabularies of characters. */
const writtenByte = /^<0x[0-9A-F]{2}>$/i;
/** The group of the characters that vocabularies of bytes write in another way. */
const otherCharacters = "other";

/** The texts of a group are read when they are first needed: all of a vocabulary take too long for one step. */
export class TokenBeginnings {
  readonly #of: (token: number) => Uint8Array;
  readonly #tokens = new Map<string, number[]>();
  readonly #groups = new Map<string, Group>();

  /** @param tokens the vocabulary. @param of returns the bytes of a token */
  constructor(tokens: readonly string[], of: (token: number) => Uint8Array) {
    this.#of = of;
    for (const [token, written] of tokens.entries()) {
      const isByte = written.startsWith("<0x") && writtenByte.test(written);
      const trimmed = isByte ? decodeToken(of(token)).trimStart() : written.replace(writtenSpace, "");
      add(this.#tokens, nameGroup(trimmed), token);
    }
  }

  /** Returns the tokens that begin with this character after white space; "" for nothing but white space. */
  beginningWith(character: string): readonly TokenText[] {
    return this.#group(nameGroup(character)).all;
  }

  /** Returns the tokens that begin like this text, up to the end of its first string. @param inString whether the text begins inside of one */
  continuing(text: string, inString: boolean): readonly TokenText[] {
    const groups = [this.#group(nameGroup(text.trimStart())), ...(inString ? [this.#group("")] : [])];
    const found: TokenText[] = [];
    for (const group of groups) {
      const lists = inString
        ? (group.inString ??= listByHead(group, (each) => upToQuote(each, 0)))
        : (group.outside ??= listByHead(group, (each) => takeHead(each.trimStart())));
      for (let length = 1; length <= text.length; length += 1)
        found.push(...(lists.get(text.slice(0, length)) ?? []));
    }
    return found;
  }

  #group(name: string): Group {
    const known = this.#groups.get(name);
    if (known !== undefined) return known;
    const tokens = this.#tokens.get(name) ?? [];
    const all = tokens.map((token) => ({ token, text: decodeToken(this.#of(token)) }));
    const group: Group = { all: all.filter(({ text }) => text !== ""), outside: null, inString: null };
    this.#groups.set(name, group);
    return group;
  }
}

function listByHead({ all }: Group, take: (text: string) => string): Lists {
  const lists = new Map<string, TokenText[]>();
  for (const entry of all) add(lists, take(entry.text), entry);
  return lists;
}

function nameGroup(text: string): string {
  const first = text.charAt(0);
  return first > "~" ? otherCharacters : first;
}

function decodeToken({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString();
}

/** Returns the text up to the end of its first string, or to white space outside of it. */
function takeHead(text: string): string {
  const space = text.search(/\s/);
  const quote = text.indexOf('"');
  if (quote < 0 || (space >= 0 && space < quote)) return space < 0 ? text : text.slice(0, space);
  return upToQuote(text, quote + 1);
}

/** Returns the text up to and with the next quotation mark. */
function upToQuote(text: string, from: number): string {
  const quote = text.indexOf('"', from);
  return quote < 0 ? text : text.slice(0, quote + 1);
}

function add<Value>(lists: Map<string, Value[]>, key: string, value: Value): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}
