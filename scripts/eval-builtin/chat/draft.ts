import type { Item } from "../items.js";
import type { Dice } from "./dice.js";
import type { Fact } from "./facts-file.js";
import type { Templates } from "./templates.js";

export type Message = Item["messages"][number];

/** An item as its skill draws it: what surrounds it, and what every item must do, is added to it. */
export interface Draft {
  /** What was said before. */
  readonly earlier?: readonly Message[];
  /** What the user says last. */
  readonly text: string;
  /** Calls and results that follow it. */
  readonly later?: readonly Message[];
  readonly tools?: Item["tools"];
  readonly responseFormat?: Item["response_format"];
  readonly reasoning?: boolean;
  readonly expect: Item["expect"];
  /** Everything that must be held beside the text. */
  readonly values: readonly string[];
  /** What surrounds it counts: nothing but a system prompt may be added. */
  readonly alone?: boolean;
}

/** What generators know of the world beside their own pools. */
export interface World {
  readonly facts: readonly Fact[];
  /** Words of the sentences of the training, in lower case. */
  readonly trainedWords: ReadonlySet<string>;
}

/** One skill of the chat model: every template that it uses, and a draw that need not be held. */
export interface ChatSkill {
  readonly name: string;
  readonly templates: Templates;
  draw(chance: Dice, world: World): Draft;
}

export function user(content: string): Message {
  return { role: "user", content };
}

export function assistant(content: string): Message {
  return { role: "assistant", content };
}
