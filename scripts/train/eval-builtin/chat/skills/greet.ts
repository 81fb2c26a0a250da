import type { Dice } from "../dice.js";
import { chatter } from "../chatter.js";
import type { ChatSkill } from "./draft.js";
import { personName } from "../pools.js";
import { fill } from "../templates.js";

const templates = {
  greeting: [
    "{hello} to you, {friend}!",
    "{hello}, nice to see you, {friend}.",
    "{hello}, {name} here, nice to meet you.",
    "{hello}, my name is {name} and I am new here.",
    "{hello}, it is me, {name}.",
    "{hello} {friend}, how nice to meet you",
    "{hello} from {name}!",
    "{name} says {hello}.",
    "I just wanted to say {hello} to you, {friend}.",
    "A very good morning to you, {friend}!",
    "{hello} again, {friend}, I am back.",
    "{hello}, {friend}, I would like to talk with you.",
    "{hello}, {friend}. This is my first message to you.",
  ],
  wellbeing: [
    "{hello}, so how are you doing {today}?",
    "And how are you feeling {today}?",
    "How have you been, {friend}?",
    "{hello}! Are you doing well {today}?",
    "{name} here. How are you {today}?",
    "How is your day so far, {friend}?",
    "I hope you are well {today}. How are you?",
    "{hello}, {friend}, are you all right {today}?",
  ],
  thanks: [
    "Thank you, {friend}, that was a great help.",
    "Thanks a lot, {name} will be happy about it.",
    "Many thanks for your answer {today}!",
    "Thank you so much, {friend}, you really helped me.",
    "That is what I needed {today}, thank you.",
    "Great work, {friend}, thanks!",
    "Thanks, {friend}, that is kind of you.",
    "I want to thank you for your help {today}.",
    "{name} and I thank you very much.",
    "Perfect, thank you, {friend}.",
  ],
  goodbye: [
    "Goodbye, {friend}, and see you tomorrow.",
    "I have to go now, {friend}, bye!",
    "Bye bye, {friend}, have a nice evening.",
    "That is all for today, {friend}, goodbye.",
    "Good night, {friend}, I am going to bed.",
    "See you later, {friend}.",
    "{name} has to leave now. Goodbye!",
    "It is late, {friend}, I must go. Bye.",
    "Bye for now, I will be back on {day}.",
    "See you on {day}, goodbye!",
  ],
  identity: [
    "{hello}, who are you?",
    "{hello}, what are you?",
    "I am {name}. And who are you?",
    "{name} asks me what you are. Can you tell me?",
    "Who is it that I am talking to {today}?",
    "What kind of model am I talking to {today}?",
    "{hello}, I would like to know who you are.",
    "{hello}, please say who you are.",
    "{name} wants to know what you are called.",
    "{hello}, what should I call you?",
    "{hello}, tell me your name, please, and what you are.",
    "{hello}, am I talking to a human or to a machine?",
  ],
} as const;

type Kind = keyof typeof templates;

const hellos = [
  "hello",
  "hi",
  "hey",
  "good morning",
  "good evening",
  "good afternoon",
  "hi there",
  "hello there",
];
const friends = [
  "my friend",
  "dear assistant",
  "robot",
  "computer",
  "dear model",
  "my dear",
  "little robot",
  "clever machine",
];
const times = ["today", "right now", "this morning", "tonight", "this afternoon", "this evening"];
const days = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

const keywords: Readonly<Record<Kind, readonly string[]>> = {
  greeting: [
    ...["hello", "hi", "hey", "good morning", "good evening", "good afternoon", "good day", "welcome"],
    ...["nice to meet you", "pleased to meet you", "help you", "greetings"],
  ],
  wellbeing: ["fine", "well", "good", "great", "thank you", "thanks"],
  thanks: ["welcome", "pleasure", "glad", "happy to help", "any time", "anytime", "no problem"],
  goodbye: [
    ...["bye", "goodbye", "see you", "take care", "farewell", "good night", "until", "nice day"],
    ...["good day", "nice evening", "sleep well", "later"],
  ],
  identity: ["Hearth", "model", "built-in", "assistant"],
};

/** Skill: greetings, thanks, goodbyes, how are you, who are you. */
export const greet: ChatSkill = {
  name: "greet",
  templates,
  draw(chance, world) {
    const kind = chance.pick(Object.keys(templates) as Kind[]);
    const name = personName(chance);
    const template = chance.pick<string>(templates[kind]);
    const hello = chance.pick(hellos);
    // "Good morning" does not go with "this evening".
    const today = chance.pick(hello.startsWith("good ") ? times.slice(0, 2) : times);
    const slots = { name, hello, today, day: chance.pick(days), friend: chance.pick(friends) };
    // Thanks and goodbyes follow an earlier turn.
    const before = kind === "thanks" || kind === "goodbye" ? chance.between(1, 2) : 0;
    return {
      earlier: chatter(chance, world, before),
      text: begun(chance, fill(template, slots)),
      values: template.includes("{name}") ? [name] : [],
      expect: { anyOf: [...keywords[kind]] },
    };
  },
};

/** Varies the capital letter at the start and the full stop at the end. */
function begun(chance: Dice, text: string): string {
  const bare = chance.happens(0.15) ? text.replace(/[.?!]$/, "") : text;
  return chance.happens(0.85) ? bare.charAt(0).toUpperCase() + bare.slice(1) : bare;
}
