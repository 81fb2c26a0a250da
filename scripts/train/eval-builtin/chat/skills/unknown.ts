import type { Dice } from "../dice.js";
import type { ChatSkill, World } from "./draft.js";
import {
  adjectives,
  cities,
  foods,
  heldNumber,
  invented,
  inventedName,
  jobs,
  nouns,
  personName,
  surnames,
} from "../pools.js";
import { fill, said } from "../templates.js";

const templates = [
  "Who was the king of {place} in the year {year}?",
  "Which city is the capital of the country {place}?",
  "How much money does a {noun} cost in {city}?",
  "What happened in {city} this morning?",
  "How old is {person} now?",
  "Who wrote the book about the {adjective} {noun}?",
  "How do I make a soup with {food}?",
  "Under which phone number can I call {person}?",
  "Which team won the game in {city} yesterday?",
  "How many people have lived in {city} since {year}?",
  "What will the weather in {city} be tomorrow?",
  "When does the last bus to {city} leave?",
  "Which person invented the first {noun}?",
  "In which year was the {job} {person} born?",
  'In a letter I read the word "{word}". What does it mean?',
  "Do you know why {person} moved to {city}?",
  "Tell me the name of the mayor of {city}.",
  "How many hours do I need from {city} to {place}?",
  "What is the best restaurant in {city}?",
  "Which song did {person} sing in {year}?",
  "Who is the president of {place}?",
  "Please tell me the price of one kilo of {food} today.",
  "How tall is the highest mountain of {place}?",
  "What did the {job} {person} say about the war of {year}?",
  "Tell me the history of {place}.",
  "Which language do people speak in {place}?",
  "What are the newest films with {person}?",
  "How long does a {adjective} {noun} last?",
  "What is the name of the river that runs through {city}?",
  "Where can I buy a {adjective} {noun}?",
  'If there is an opposite of the word "{noun}", what is it?',
  "Which color did {person} choose for the new {noun}?",
  "How many friends does {person} have?",
  "I never met {person}. What is the name of the dog there?",
] as const;

/** Skill: questions outside the model's knowledge: people, prices, news, history, invented places. */
export const unknown: ChatSkill = { name: "unknown", templates: { all: templates }, draw: drawUnknown };

/** Generates a question that the model cannot answer. */
export function drawUnknown(chance: Dice, { facts }: World): ReturnType<ChatSkill["draw"]> {
  const template = chance.pick(templates);
  const city = chance.pick(
    cities.filter((each) => facts.every(({ subject, answer }) => subject !== each && answer !== each)),
  );
  const slots: Readonly<Record<string, string>> = {
    ...{ place: inventedName(chance), city, word: invented(chance) },
    ...{
      year: String(heldNumber(chance, 1100, 2020)),
      person: `${personName(chance)} ${chance.pick(surnames)}`,
    },
    ...{ noun: chance.pick(nouns), adjective: chance.pick(adjectives) },
    ...{ food: chance.pick(foods), job: chance.pick(jobs) },
  };
  const values = Object.entries(slots).flatMap(([slot, value]) =>
    template.includes(`{${slot}}`) ? value.split(" ") : [],
  );
  const filled = fill(template, slots);
  const anyOf = ["don't know", "do not know", "don’t know"];
  return { text: said(chance, filled), values, expect: { anyOf } };
}
