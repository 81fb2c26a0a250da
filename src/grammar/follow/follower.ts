/**
 * Follows a text through its grammar, and predicts how it goes on where the grammar leaves one way: the keys of an object, its
 * punctuation, the rest of an enumerated value. White space that may be omitted is predicted as the text had it after the same character
 * before. A prediction is what the text is likely to be, never more: who uses it has to compare it with what is written.
 */
import { CannotFollow, TooWide } from "./expression.js";
import { outsideArrays, readCharacter, repeatingCharacters, type ItemPlace } from "./unique-items.js";
import { ItemRepeats } from "./item-repeats.js";
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
