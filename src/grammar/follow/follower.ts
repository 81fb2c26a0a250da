/**
 * Follows a text through its grammar, and predicts how it goes on where the grammar leaves one way: the keys of an object, its
 * punctuation, the rest of an enumerated value. White space that may be omitted is predicted as the text had it after the same character
 * before. A prediction is what the text is likely to be, never more: who uses it has to compare it with what is written.
 */
import { CannotFollow, TooWide, type Expression } from "./expression.js";
import { outsideArrays, readCharacter, repeatingCharacters, type ItemPlace } from "./unique-items.js";
import { isSpace, whiteSpace, type GrammarStacks, type ReadyStacks, type Stack } from "./stacks.js";

/** White space that models mostly write after a character, where the text has shown none yet. */
const usualWhiteSpace: ReadonlyMap<string, string> = new Map([
  [":", " "],
  [",", " "],
]);

/** Stacks of a position from which nothing is predicted: it takes long, and more than one way is open. */
const predictedStacksMax = 1_000;

export class GrammarFollower {
  readonly #grammar: GrammarStacks;
  /** Null where the text cannot be followed any more. */
  #stacks: ReadyStacks | null;
  /** White space that may be omitted, by the character in front of it. */
  readonly #habits = new Map(usualWhiteSpace);
  /** The last character that is not such white space, and the white space after it. */
  #last = "";
  #space = "";
  #isTooWide = false;
  #items: ItemPlace = outsideArrays;

  /** Begins at the start of the grammar. */
  constructor(grammar: GrammarStacks) {
    this.#grammar = grammar;
    this.#stacks = this.#attempt(() => grammar.atStart(), true);
  }

  /** Whether the text has reached a position with more stacks than the grammar may have. */
  get isTooWide(): boolean {
    return this.#isTooWide;
  }

  /** Returns what would repeat an item of an array whose items must differ; null where nothing can. */
  get itemRepeats(): ItemRepeats | null {
    if (this.#stacks === null || this.#items.arrays.length === 0) return null;
    if (repeatingCharacters(this.#items).size === 0) return null;
    return new ItemRepeats(this.#grammar, this.#stacks, this.#items);
  }

  /** Reads what the text has next. */
  push(text: string): void {
    for (const character of text) {
      if (this.#stacks === null) return;
      const stacks = this.#stacks;
      const point = character.codePointAt(0) ?? 0;
      this.#items = readCharacter(this.#items, character, this.#grammar.beginsUniqueItems(stacks, point));
      this.#stacks = this.#attempt(() => this.#grammar.after(stacks, point), true);
      if (whiteSpace.has(point) && mayOmitSpace(stacks)) this.#space += character;
      else {
        if (mayOmitSpace(stacks)) this.#habits.set(this.#last, this.#space);
        this.#last = character;
        this.#space = "";
      }
    }
  }

  /** Returns how the text is likely to go on; "" where several ways are open. At most `charactersMax` characters. */
  likely(charactersMax: number): string {
    let stacks = this.#stacks;
    let [text, last, space] = ["", this.#last, this.#space];
    for (let length = 0; stacks !== null && length < charactersMax; length += 1) {
      if (stacks.length > predictedStacksMax) break;
      const isLayout = mayOmitSpace(stacks);
      const habit = isLayout ? (this.#habits.get(last) ?? "") : "";
      const next =
        isLayout && habit.length > space.length && habit.startsWith(space)
          ? (habit[space.length] ?? "")
          : onlyWay(stacks);
      if (next === null) break;
      const [known, point] = [stacks, next.codePointAt(0) ?? 0];
      stacks = this.#attempt(() => this.#grammar.after(known, point), false);
      if (stacks === null) break;
      text += next;
      if (isLayout && whiteSpace.has(point)) space += next;
      else [last, space] = [next, ""];
    }
    return text;
  }

  /** Returns null where the grammar does not allow the text, or is too wide to be followed. */
  #attempt(findStacks: () => ReadyStacks, isWritten: boolean): ReadyStacks | null {
    try {
      const stacks = findStacks();
      return stacks.length === 0 ? null : stacks;
    } catch (thrown) {
      if (!(thrown instanceof CannotFollow)) throw thrown;
      this.#isTooWide ||= isWritten && thrown instanceof TooWide;
      return null;
    }
  }
}

/** Whether white space may follow, or something else. */
function mayOmitSpace(stacks: ReadyStacks): boolean {
  let [space, other] = [false, false];
  for (const stack of stacks) {
    if (isSpace(stack)) space = true;
    else other = true;
    if (space && other) return true;
  }
  return false;
}

/** Returns the only character that may follow besides white space that may be omitted; null when there is no such character, or several. */
function onlyWay(stacks: ReadyStacks): string | null {
  const isLayout = mayOmitSpace(stacks);
  let only: number | null = null;
  for (const stack of stacks) {
    if (isLayout && isSpace(stack)) continue;
    const point = stack === null ? null : onlyPoint(stack);
    if (point === null || (only !== null && only !== point)) return null;
    only = point;
  }
  return only === null ? null : String.fromCodePoint(only);
}

function onlyPoint({ head }: Stack): number | null {
  if (head.kind === "text") return head.points[0] ?? null;
  if (head.kind !== "class" || head.negated || head.ranges.length !== 2) return null;
  const [low = null, high] = head.ranges;
  return low === high ? low : null;
}

// Finds texts that would repeat an item of an array whose items must differ, or after which the grammar allows repeated items only.

/** The characters that are read ahead for one text to find another item. With more, there is one. */
const readAheadMax = 500;

/** The characters of an earlier item that a text is compared with first. */
const restCharactersMax = 64;
/** Rests that end so soon that a text may go on behind them. */
const shortRestCharacters = 3;

/** Characters that may end an item, and the characters of a number that may equal another one in another form. */
const ends: ReadonlySet<string> = new Set('"}],0123456789.eE');

class ItemRepeats {
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
