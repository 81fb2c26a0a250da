/** The tools of the skill `tools`, and requests for each. */
import type { Dice } from "../dice.js";
import type { Draft } from "./draft.js";
import { isHeld } from "../held.js";
import { cities, colors, foods, heldNumber, invented, nouns, personName, rooms, weekdays } from "../pools.js";

/** A parameter of a tool: its generator and its schema. */
export interface Parameter {
  readonly schema: Readonly<Record<string, unknown>>;
  readonly draw: (chance: Dice) => string | number;
}

export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, Parameter>>;
  /** The requests for the tool; each contains every parameter. */
  readonly asks: readonly string[];
  /** The result of a call: fields and their values. */
  readonly result: (chance: Dice) => Readonly<Record<string, string | number>>;
}

const text = (description: string, draw: (chance: Dice) => string): Parameter => ({
  schema: { type: "string", description },
  draw,
});
const whole = (description: string, from: number, to: number): Parameter => ({
  schema: { type: "integer", description },
  draw: (chance) => heldNumber(chance, from, to),
});
const someCity = (chance: Dice): string => chance.pick(cities);
const city = text("Name of the city", someCity);
const person = text("Name of the person", personName);
const plurals = foods.filter((food) => food.endsWith("s"));
const done = (): Readonly<Record<string, string>> => ({ status: "ok" });

const getWeather: Tool = {
  name: "get_weather",
  description: "Get the current weather in a city",
  parameters: { city },
  asks: [
    "Do I need a coat in {city} today? Check the weather.",
    "I am in {city}. What is the weather like here?",
    "Find out how the weather in {city} is right now.",
    "Please check the weather for the city of {city}.",
  ],
  result: (chance) => ({ temperature: heldNumber(chance, 2, 35), wind: heldNumber(chance, 10, 90) }),
};

const setTimer: Tool = {
  name: "set_timer",
  description: "Start a timer",
  parameters: { minutes: whole("Length in minutes", 1, 90) },
  asks: [
    "I need a timer that runs for {minutes} minutes.",
    "Please start a timer, {minutes} minutes long.",
    "Let a timer run for {minutes} minutes.",
    "Can you set the timer to {minutes} minutes for me?",
  ],
  result: done,
};

const sendMessage: Tool = {
  name: "send_message",
  description: "Send a text message to a person",
  parameters: {
    to: person,
    text: text("What the message says", (chance) => chance.some(nouns, 2).join(" and ")),
  },
  asks: [
    'Send {to} a message that says "{text}".',
    'Write "{text}" to {to} in a message.',
    'I want to send a message to {to}. It says "{text}".',
    'Could you message {to} with the text "{text}"?',
  ],
  result: done,
};

const translate: Tool = {
  name: "translate",
  description: "Translate a text into another language",
  parameters: {
    text: text("The text to translate", (chance) => chance.pick(nouns)),
    language: text("The language to translate into", (chance) =>
      chance.pick(["French", "German", "Spanish", "Italian"]),
    ),
  },
  asks: [
    'I need "{text}" in {language}. Please translate it.',
    'Could you translate "{text}" to {language} for me?',
    'Make a {language} translation of "{text}".',
    'Turn "{text}" into {language}, please.',
  ],
  result: (chance) => ({ translation: invented(chance) }),
};

const addToCart: Tool = {
  name: "add_to_cart",
  description: "Put a product into the shopping cart",
  parameters: {
    product: text("Name of the product", (chance) => chance.pick(plurals)),
    amount: whole("How many", 2, 60),
  },
  asks: [
    "I want to buy {amount} {product}. Add them to the cart.",
    "Put {amount} {product} into my cart.",
    "My cart needs {amount} {product}.",
    "Please place {amount} {product} in the shopping cart.",
  ],
  result: (chance) => ({ items: heldNumber(chance, 10, 99) }),
};

const findPerson: Tool = {
  name: "find_phone_number",
  description: "Look up the phone number of a person",
  parameters: { name: person },
  asks: [
    "I have to call {name}. Look up the number.",
    "Under which phone number do I reach {name}?",
    "Find the phone number of {name} for me.",
    "Please look up the phone number that belongs to {name}.",
  ],
  result: (chance) => ({ number: heldNumber(chance, 1000, 9999) }),
};

const bookTable: Tool = {
  name: "book_table",
  description: "Book a table in a restaurant",
  parameters: {
    day: text("Day of the week", (chance) => chance.pick(weekdays)),
    guests: whole("Number of guests", 2, 9),
  },
  asks: [
    "I need a table on {day} for {guests} guests.",
    "We are {guests} guests and want to eat on {day}. Book a table.",
    "Reserve a table for {guests} guests, on {day} please.",
    "Please book us a table on {day}. There will be {guests} guests.",
  ],
  result: (chance) => ({ table: heldNumber(chance, 1, 60) }),
};

const setLight: Tool = {
  name: "set_light",
  description: "Change the color of a lamp in a room",
  parameters: {
    room: text("Name of the room", (chance) => chance.pick(rooms)),
    color: text("Color of the light", (chance) => chance.pick(colors)),
  },
  asks: [
    "I want {color} light in the {room}.",
    "Make the light in the {room} {color}, please.",
    "Let the light in the {room} be {color}, please.",
    "Switch the lamp in the {room} to {color}.",
  ],
  result: done,
};

const trainTimes: Tool = {
  name: "next_train",
  description: "Find the next train from one city to another",
  parameters: { from: text("City of departure", someCity), to: text("City of arrival", someCity) },
  asks: [
    "I am in {from} and have to go to {to} by train. When does it leave?",
    "Look up the next train that goes from {from} to {to}.",
    "Which train can I take from {from} to {to}?",
    "Please find a train to {to} that starts in {from}.",
  ],
  result: (chance) => ({ minutes: heldNumber(chance, 2, 59), platform: heldNumber(chance, 1, 30) }),
};

const stock: Tool = {
  name: "count_stock",
  description: "Count how many of a thing are in the store",
  parameters: { item: text("The thing to count", (chance) => chance.pick(nouns)) },
  asks: [
    "Is the {item} still in the store? Count how many there are.",
    'How many of the thing "{item}" do we have in stock?',
    'Count the stock of "{item}", please.',
    'I need to know our stock of the item "{item}".',
  ],
  result: (chance) => ({ count: heldNumber(chance, 10, 900) }),
};

export const familiar: readonly Tool[] = [
  ...[getWeather, setTimer, sendMessage, translate, addToCart],
  ...[findPerson, bookTable, setLight, trainTimes, stock],
];

const verbs = ["paint", "clean", "lock", "repair", "open", "move", "rent", "check", "sell", "wash"];

export const inventedAsks = {
  city: ["I would like you to {verb} the {noun} in {city}.", "Please {verb} the {noun} that is in {city}."],
  person: [
    "I would like you to {verb} the {noun} for {person}.",
    "{verb} the {noun} that belongs to {person}.",
  ],
  number: [
    "I would like you to {verb} {noun} number {number}.",
    "It is time to {verb} the {noun} with the number {number}.",
  ],
  color: ["I would like you to {verb} the {color} {noun}.", "There is a {color} {noun}. Please {verb} it."],
} as const;

const kinds: Readonly<Record<keyof typeof inventedAsks, Parameter>> = {
  city,
  person,
  number: whole("Number of the thing", 10, 999),
  color: text("Color of the thing", (chance) => chance.pick(colors)),
};

/** Returns an invented tool, such as `repair_fountain`. */
export function inventedTool(chance: Dice): Tool {
  for (;;) {
    const [verb, noun] = [chance.pick(verbs), chance.pick(nouns)];
    const name = `${verb}_${noun}`;
    if (!isHeld(name)) continue;
    const kind = chance.pick(Object.keys(kinds) as (keyof typeof kinds)[]);
    const asks = inventedAsks[kind].map((ask) => {
      const filled = ask.replaceAll("{verb}", verb).replaceAll("{noun}", noun);
      return filled.charAt(0).toUpperCase() + filled.slice(1);
    });
    const description = `${verb.charAt(0).toUpperCase()}${verb.slice(1)} the ${noun}`;
    const result = (drawn: Dice): Readonly<Record<string, number>> => ({
      minutes: heldNumber(drawn, 10, 99),
    });
    return { name, description, parameters: { [kind]: kinds[kind] }, asks, result };
  }
}

/** The tools whose requests fit no other tool. */
export const harmless: readonly Tool[] = [setTimer, sendMessage, setLight, bookTable];

/** Returns a tool in the form of a request. */
export function declared({ name, description, parameters }: Tool): NonNullable<Draft["tools"]>[number] {
  const properties = Object.fromEntries(Object.entries(parameters).map(([key, { schema }]) => [key, schema]));
  const schema = { type: "object", properties, required: Object.keys(parameters) };
  return { type: "function", function: { name, description, parameters: schema } };
}
