import type { Item } from "../../items.js";
import type { Dice } from "../dice.js";
import type { Fact } from "../facts-file.js";
import type { Templates } from "../templates.js";

export type Message = Item["messages"][number];

/** An item as its skill generates it, before surroundings and common expectations are added. */
export interface Draft {
  /** The earlier messages. */
  readonly earlier?: readonly Message[];
  /** The user's last message. */
  readonly text: string;
  /** Tool calls and results after it. */
  readonly later?: readonly Message[];
  readonly tools?: Item["tools"];
  readonly responseFormat?: Item["response_format"];
  readonly reasoning?: boolean;
  readonly expect: Item["expect"];
  /** The values that must be held out, in addition to the text. */
  readonly values: readonly string[];
  /** Whether its context matters, so that only a system prompt may be added. */
  readonly alone?: boolean;
}

/** What generators use in addition to their own pools. */
export interface World {
  readonly facts: readonly Fact[];
  /** The words of the training's sentences, in lower case. */
  readonly trainedWords: ReadonlySet<string>;
}

/**
 * One skill of the chat model: all of its templates, and a generator whose items may still contain trained
 * values.
 */
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
