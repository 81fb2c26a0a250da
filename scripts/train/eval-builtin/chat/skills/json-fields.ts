/** The objects of the skill `json`: their fields, and sentences with each field's value. */
import type { Dice } from "../dice.js";
import { isUsable } from "../held.js";
import {
  adjectives,
  cities,
  colors,
  foods,
  heldNumber,
  inventedName,
  jobs,
  names,
  nouns,
  personName,
  pets,
  surnames,
  weekdays,
} from "../pools.js";

export interface Field {
  readonly name: string;
  readonly schema: Readonly<Record<string, unknown>>;
  readonly value: (chance: Dice) => unknown;
  /** Sentences with the value; for booleans two, one for each value. */
  readonly told: readonly string[];
}

export interface Subject {
  readonly name: string;
  readonly opening: string;
  readonly fields: readonly Field[];
}

const text = { type: "string" };
const whole = { type: "integer" };

function words(name: string, value: (chance: Dice) => string, ...told: readonly string[]): Field {
  return { name, schema: text, value, told };
}

function from(name: string, pool: readonly string[], ...told: readonly string[]): Field {
  return words(name, (chance) => chance.pick(pool), ...told);
}

function count(name: string, least: number, most: number, ...told: readonly string[]): Field {
  return { name, schema: whole, value: (chance) => heldNumber(chance, least, most), told };
}

function choice(name: string, options: readonly string[], ...told: readonly string[]): Field {
  return { name, schema: { type: "string", enum: options }, value: (chance) => chance.pick(options), told };
}

function flag(name: string, yes: string, no: string): Field {
  return {
    name,
    schema: { type: "boolean" },
    value: (chance) => chance.happens(0.5),
    told: [yes, no],
  };
}

function list(name: string, pool: readonly string[], ...told: readonly string[]): Field {
  const value = (chance: Dice): unknown => chance.some(pool, chance.between(2, 4));
  return { name, schema: { type: "array", items: text }, value, told };
}

const fullName = (chance: Dice): string => `${personName(chance)} ${chance.pick(surnames)}`;

const person: Subject = {
  name: "person",
  opening: "Here is somebody that you should know.",
  fields: [
    words("name", personName, "The person is called {value}.", "This is about {value}."),
    count("age", 18, 99, "The age is {value}.", "She is {value} years old.", "He is {value} years old."),
    from("city", cities, "The city is {value}.", "Home is in {value}."),
    from("job", jobs, "The job is {value}.", "The work is that of a {value}."),
    from("pet", pets, "The pet is a {value}.", "There is a {value} at home."),
    choice("color", colors, "The favorite color is {value}.", "The best color is {value}."),
    flag("married", "The person is married.", "The person is not married."),
    list("friends", names, "The friends are {value}."),
  ],
};

const order: Subject = {
  name: "order",
  opening: "An order came in.",
  fields: [
    words("customer", fullName, "The customer is {value}.", "It was ordered by {value}."),
    from("product", nouns, "The product is a {value}.", "They want a {value}."),
    count("quantity", 1, 60, "The quantity is {value}.", "We have to send {value} of them."),
    {
      name: "price",
      schema: { type: "number" },
      value: price,
      told: ["The price is {value}.", "It costs {value} euros."],
    },
    choice("size", ["small", "medium", "large"], "The size is {value}.", "It should be {value}."),
    flag("paid", "It has been paid.", "It has not been paid."),
    from("city", cities, "It goes to the city of {value}.", "Send it to {value}."),
    choice("color", colors, "The color should be {value}.", "The customer wants it in {value}."),
  ],
};

const meeting: Subject = {
  name: "meeting",
  opening: "There is going to be a meeting.",
  fields: [
    words("title", (chance) => `${chance.pick(adjectives)} ${chance.pick(nouns)}`, "The title is {value}."),
    choice("day", weekdays, "The day is {value}.", "We meet on {value}."),
    count("hour", 1, 23, "The hour is {value}.", "It begins at {value} o'clock."),
    count("room", 1, 300, "The room is {value}.", "We sit in room {value}."),
    words("host", personName, "The host is {value}.", "We are invited by {value}."),
    list("guests", names, "The guests are {value}."),
    flag("online", "The meeting is online.", "The meeting is not online."),
    place(),
  ],
};

const animal: Subject = {
  name: "animal",
  opening: "We have an animal.",
  fields: [
    from("species", pets, "The species is {value}.", "It is a {value}."),
    words("name", inventedName, "The name of it is {value}.", "We call it {value}."),
    count("legs", 2, 8, "The number of legs is {value}.", "It has {value} legs."),
    count("weight", 1, 90, "The weight is {value} kilos.", "It weighs {value} kilos."),
    from("food", foods, "The food is {value}.", "It eats {value}."),
    choice("color", colors, "The color is {value}.", "Its fur is {value}."),
    flag("wild", "The animal is wild.", "The animal is not wild."),
    words("owner", fullName, "The owner is {value}.", "It belongs to {value}."),
  ],
};

const book: Subject = {
  name: "book",
  opening: "Somebody asked about a book.",
  fields: [
    words(
      "title",
      (chance) => `the ${chance.pick(adjectives)} ${chance.pick(nouns)}`,
      'Its title is "{value}".',
    ),
    words("author", fullName, "The author is {value}.", "It was written by {value}."),
    count("pages", 10, 900, "It has {value} pages.", "The number of pages is {value}."),
    count("year", 1900, 2020, "It came out in {value}.", "The year is {value}."),
    choice(
      "language",
      ["English", "French", "German", "Spanish"],
      "The language is {value}.",
      "It is in {value}.",
    ),
    count("shelf", 1, 90, "It stands on shelf {value}.", "The shelf is number {value}."),
    flag("available", "The book is available.", "The book is not available."),
    words("reader", personName, "The reader is {value}.", "It is meant for {value}."),
  ],
};

const trip: Subject = {
  name: "trip",
  opening: "We are planning a trip.",
  fields: [
    words("traveler", fullName, "The traveler is {value}.", "It is {value} who travels."),
    from("start", cities, "The start is in {value}.", "It begins in {value}."),
    from("destination", cities, "The destination is {value}.", "The trip goes to {value}."),
    choice("weekday", weekdays, "The weekday is {value}.", "It is on a {value}."),
    count("days", 2, 60, "The number of days is {value}.", "It takes {value} days."),
    count("seat", 1, 99, "The seat is number {value}.", "The ticket is for seat {value}."),
    flag("insured", "The trip is insured.", "The trip is not insured."),
    list("luggage", nouns, "The luggage is {value}.", "We take along {value}."),
  ],
};

export const subjects: readonly Subject[] = [person, order, meeting, animal, book, trip];

/** Numbers, including halves such as 7.5. */
function price(chance: Dice): number {
  for (;;) {
    const amount = chance.between(2, 198) / 2;
    if (isUsable(String(amount))) return amount;
  }
}

/** A nested object. */
function place(): Field {
  return {
    name: "place",
    schema: {
      type: "object",
      properties: { city: text, floor: whole },
      required: ["city", "floor"],
      additionalProperties: false,
    },
    value: (chance) => ({ city: chance.pick(cities), floor: chance.between(1, 9) }),
    told: ["The place is given by city and floor: {value}."],
  };
}
