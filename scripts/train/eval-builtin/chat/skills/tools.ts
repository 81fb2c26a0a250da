import { isDeepStrictEqual } from "node:util";
import type { Dice } from "../dice.js";
import { assistant, type ChatSkill, type Draft, type Message, type World } from "./draft.js";
import { drawFact } from "./facts.js";
import { listContent } from "./json.js";
import { fill, said } from "../templates.js";
import { declared, familiar, inventedAsks, inventedTool, type Tool } from "./toolbox.js";
import { drawUnknown } from "./unknown.js";

const templates = {
  asks: familiar.map(({ asks }) => asks),
  invented: inventedAsks,
  both: [
    "{first} And also this: {second}",
    "{first} I have another wish. {second}",
    "Two things, please. {first} {second}",
    "Here is the first thing: {first} Here is the second: {second}",
  ],
  small: [
    "Hello there, it is nice to talk to you.",
    "I only wanted to thank you very much.",
    "Good morning, dear assistant!",
  ],
} as const;

/**
 * Skill: call the right one of up to four tools, two at once for two requests, none if none fits; use a
 * result.
 */
export const tools: ChatSkill = {
  name: "tools",
  templates,
  draw(chance, world) {
    const kind = chance.pick(["one", "one", "one", "two", "none", "result"] as const);
    return { ...kinds[kind](chance, world), alone: true };
  },
};

const kinds: Readonly<Record<"one" | "two" | "none" | "result", (chance: Dice, world: World) => Draft>> = {
  one(chance) {
    const box = toolbox(chance, chance.between(1, 4));
    const wish = wishFor(chance, chance.pick(box));
    return { ...asked(box, [wish]), text: said(chance, wish.text) };
  },
  two(chance, world) {
    const box = toolbox(chance, chance.between(1, 4));
    const [first, second] = chance.happens(0.5) || box.length < 2 ? twice(chance, box) : chance.some(box, 2);
    if (first === undefined || second === undefined) throw new Error("too few tools");
    const wishes = [wishFor(chance, first), wishFor(chance, second)] as const;
    if (isDeepStrictEqual(wishes[0].arguments, wishes[1].arguments)) return kinds.two(chance, world);
    const slots = { first: wishes[0].text, second: wishes[1].text };
    return { ...asked(box, wishes), text: fill(chance.pick<string>(templates.both), slots) };
  },
  none(chance, world) {
    const box = chance.some(familiar, chance.between(1, 4));
    const other = unfit(chance, world, box);
    return { text: other.text, tools: box.map(declared), values: other.values, expect: { ...other.expect } };
  },
  result(chance, world) {
    const box = toolbox(chance, chance.between(1, 3)).filter(tells(chance));
    const tool = box[0];
    if (tool === undefined) return kinds.result(chance, world);
    const wish = wishFor(chance, tool);
    const result = tool.result(chance);
    return {
      text: said(chance, wish.text),
      later: answered(wish, result),
      tools: box.map(declared),
      values: [...wish.values, ...listContent(result)],
      expect: { words: Object.values(result).map(String) },
    };
  },
};

interface Wish {
  readonly text: string;
  readonly name: string;
  readonly arguments: Readonly<Record<string, string | number>>;
  readonly values: readonly string[];
}

function asked(box: readonly Tool[], wishes: readonly Wish[]): Omit<Draft, "text"> {
  const toolCalls = wishes.map(({ name, arguments: given }) => ({ name, arguments: given }));
  return { tools: box.map(declared), values: wishes.flatMap(({ values }) => values), expect: { toolCalls } };
}

/** Returns different tools, a third of them invented. */
function toolbox(chance: Dice, count: number): readonly Tool[] {
  const box = chance
    .some(familiar, count)
    .map((tool) => (chance.happens(0.35) ? inventedTool(chance) : tool));
  const names = new Set(box.map(({ name }) => name));
  return names.size < count ? toolbox(chance, count) : box;
}

function twice(chance: Dice, box: readonly Tool[]): readonly Tool[] {
  const tool = chance.pick(box);
  return [tool, tool];
}

function wishFor(chance: Dice, tool: Tool): Wish {
  const given = Object.fromEntries(
    Object.entries(tool.parameters).map(([name, parameter]) => [name, parameter.draw(chance)]),
  );
  const values = Object.values(given).flatMap((value) =>
    String(value)
      .split(" ")
      .filter((word) => word !== "and"),
  );
  const isOwn = familiar.includes(tool);
  const text = fill(chance.pick(tool.asks), given);
  return { text, name: tool.name, arguments: given, values: isOwn ? values : [...values, tool.name] };
}

/** Only tools whose result contains more than success. */
function tells(chance: Dice): (tool: Tool) => boolean {
  return (tool) => !("status" in tool.result(chance));
}

function answered(wish: Wish, result: Readonly<Record<string, string | number>>): readonly Message[] {
  const called = { name: wish.name, arguments: JSON.stringify(wish.arguments) };
  return [
    { ...assistant(""), tool_calls: [{ id: "call_1", type: "function", function: called }] },
    { role: "tool", tool_call_id: "call_1", content: JSON.stringify(result) },
  ];
}

/** Returns a request that none of these tools fulfils. */
function unfit(chance: Dice, world: World, box: readonly Tool[]): Draft {
  if (chance.happens(0.2)) {
    return { text: said(chance, chance.pick<string>(templates.small)), values: [], expect: {} };
  }
  for (;;) {
    const draft = chance.happens(0.6) ? drawFact(chance, world) : drawUnknown(chance, world);
    const near = box.some(({ name }) => nearness[name]?.test(draft.text));
    if (!near) return { ...draft, expect: {} };
  }
}

/** Questions that might be mistaken for a request to a tool. */
const nearness: Readonly<Record<string, RegExp>> = {
  get_weather: /weather|temperature/,
  find_phone_number: /phone|number/,
  next_train: /bus|far|leave|hours|travel/,
  translate: /mean|language|word/,
  add_to_cart: /buy|price|cost/,
  count_stock: /buy|price|cost|how many|number|count/i,
  book_table: /restaurant/,
};
