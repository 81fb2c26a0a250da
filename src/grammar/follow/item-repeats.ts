/** Finds texts that would repeat an item of an array whose items must differ, or after which the grammar allows repeated items only. */
import { CannotFollow, type Expression } from "./expression.js";
import { isSpace, type GrammarStacks, type ReadyStacks } from "./stacks.js";
import { readCharacter, repeatingCharacters, type ItemPlace } from "./unique-items.js";

/** The characters that are read ahead for one text to find another item. With more, there is one. */
const readAheadMax = 500;

/** The characters of an earlier item that a text is compared with first. */
const restCharactersMax = 64;
/** Rests that end so soon that a text may go on behind them. */
const shortRestCharacters = 3;

/** Characters that may end an item, and the characters of a number that may equal another one in another form. */
const ends: ReadonlySet<string> = new Set('"}],0123456789.eE');

export class ItemRepeats {
  /** What earlier items have next, without white space between their values. Such a text begins like one of them, or with a character. */
  readonly rests: ReadonlySet<string>;
  /** Characters with which such a text may begin after white space, whatever follows; "" stands for nothing but white space. */
  readonly characters: ReadonlySet<string>;
  readonly #grammar: GrammarStacks;
  readonly #stacks: ReadyStacks;
  readonly #place: ItemPlace;
  /** Whether another item is possible, by what is written of the items. */
  readonly #known = new Map<string, boolean>();
  #left = 0;

  constructor(grammar: GrammarStacks, stacks: ReadyStacks, place: ItemPlace) {
    this.#grammar = grammar;
    this.#stacks = stacks;
    this.#place = place;
    this.rests = new Set(
      place.arrays.flatMap(({ alike, written }) =>
        alike.map((text) => text.slice(written.length, written.length + restCharactersMax)),
      ),
    );
    // A text that begins in a string is found by its beginning up to the end of that string.
    const short = place.inString ? [] : [...this.rests].filter(({ length }) => length <= shortRestCharacters);
    const characters = new Set(place.inString ? [] : [""]);
    for (const character of repeatingCharacters(place))
      if (ends.has(character) || short.some((rest) => rest.startsWith(character))) characters.add(character);
    this.characters = characters;
  }

  get inString(): boolean {
    return this.#place.inString;
  }

  /** Returns whether this text would repeat an item, or leave no other item. */
  isBy(text: string): boolean {
    let place = this.#place;
    for (const character of text) {
      place = readCharacter(place, character, false);
      if (place.hasRepeated) return true;
      if (repeatingCharacters(place).size === 0) return false;
    }
    return this.#leavesRepeatsOnly(text);
  }

  #leavesRepeatsOnly(text: string): boolean {
    try {
      let [place, stacks] = [this.#place, this.#stacks];
      for (const character of text) {
        ({ place, stacks } = this.#after(place, stacks, character));
        if (stacks.length === 0) return false;
        if (place.hasRepeated) return true;
      }
      this.#left = readAheadMax;
      return !this.#allowsAnother(stacks, place);
    } catch (thrown) {
      if (thrown instanceof CannotFollow) return false;
      throw thrown;
    }
  }

  #after(
    place: ItemPlace,
    stacks: ReadyStacks,
    character: string,
  ): { readonly place: ItemPlace; readonly stacks: ReadyStacks } {
    const point = character.codePointAt(0) ?? 0;
    const begins = this.#grammar.beginsUniqueItems(stacks, point);
    return {
      place: readCharacter(place, character, begins),
      stacks: this.#grammar.after(stacks, point),
    };
  }

  /** Returns whether the grammar allows a text that repeats no item. It is read only as far as it equals the text of an earlier item. */
  #allowsAnother(stacks: ReadyStacks, place: ItemPlace): boolean {
    const key = JSON.stringify([
      place.inString,
      place.arrays.map(({ texts, written }) => [texts.length, ...texts.slice(-3), written]),
    ]);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const allows = this.#searchAnother(stacks, place);
    if (this.#left > 0) this.#known.set(key, allows);
    return allows;
  }

  #searchAnother(stacks: ReadyStacks, place: ItemPlace): boolean {
    const characters = repeatingCharacters(place);
    if (characters.size === 0) return true;
    for (const stack of stacks) {
      if (stack === null) return true;
      if (!place.inString && isSpace(stack)) continue;
      if (allowsOther(stack.head, characters)) return true;
    }
    for (const character of characters) {
      this.#left -= 1;
      if (this.#left <= 0) return true;
      const next = this.#after(place, stacks, character);
      if (next.stacks.length === 0 || next.place.hasRepeated) continue;
      if (this.#allowsAnother(next.stacks, next.place)) return true;
    }
    return false;
  }
}

/** Returns whether a terminal matches a character besides these. */
function allowsOther(head: Expression, characters: ReadonlySet<string>): boolean {
  if (head.kind === "text") return !characters.has(String.fromCodePoint(head.points[0] ?? 0));
  if (head.kind !== "class" || head.negated) return true;
  let matched = 0;
  for (let at = 0; at < head.ranges.length; at += 2)
    matched += (head.ranges[at + 1] ?? 0) - (head.ranges[at] ?? 0) + 1;
  const points = [...characters].map((character) => character.codePointAt(0) ?? 0);
  const among = points.filter((point) =>
    head.ranges.some((low, at) => at % 2 === 0 && low <= point && point <= (head.ranges[at + 1] ?? -1)),
  );
  return matched > among.length;
}
