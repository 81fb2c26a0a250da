import type { Dice } from "../dice.js";
import {
  adjectives,
  cities,
  colors,
  foods,
  heldNumber,
  jobs,
  nouns,
  personName,
  pets,
  rooms,
  surnames,
  weekdays,
} from "../pools.js";

/** A property of the subjects of a passage, with its statements and questions. */
export interface Told {
  readonly value: (chance: Dice) => string;
  readonly told: readonly string[];
  readonly asked: readonly string[];
}

/** The topic of a passage. */
export interface Domain {
  readonly name: string;
  readonly opening: readonly string[];
  readonly subject: (chance: Dice) => string;
  readonly facts: Readonly<Record<string, Told>>;
}

const of =
  (pool: readonly string[]) =>
  (chance: Dice): string =>
    chance.pick(pool);
const number =
  (from: number, to: number) =>
  (chance: Dice): string =>
    String(heldNumber(chance, from, to));

const people: Domain = {
  name: "people",
  opening: ["These people know each other from school.", "A few people meet every week."],
  subject: personName,
  facts: {
    town: {
      value: of(cities),
      told: ["{subject} bought a house in {value}.", "The home of {subject} is in {value}."],
      asked: [
        "In which town does {subject} have a home?",
        "According to the text, where is the home of {subject}?",
      ],
    },
    job: {
      value: of(jobs),
      told: ["{subject} earns good money as a {value}.", "By profession, {subject} is a {value}."],
      asked: [
        "How does {subject} earn money?",
        "What profession does {subject} have?",
        "Which job does the text give {subject}?",
      ],
    },
    pet: {
      value: of(pets),
      told: ["At home {subject} keeps a {value}.", "{subject} takes care of a {value}."],
      asked: ["Which animal does {subject} keep?", "What animal is kept by {subject}?"],
    },
    age: {
      value: number(18, 90),
      told: ["{subject} turned {value} last month.", "This year {subject} is {value} years old."],
      asked: ["What age is {subject} according to the text?", "How old is {subject} in this text?"],
    },
    food: {
      value: of(foods),
      told: ["Every day {subject} likes to eat {value}.", "Every day {subject} has to have some {value}."],
      asked: ["What does {subject} like to eat every day?", "What food does {subject} have every day?"],
    },
  },
};

const shop: Domain = {
  name: "shop",
  opening: ["Welcome to our shop.", "The shop by the station is open again.", "This is what the shop sells."],
  subject: (chance) => `the ${chance.pick(nouns)}`,
  facts: {
    price: {
      value: number(3, 99),
      told: ["You pay {value} coins for {subject}.", "The price of {subject} is {value} coins."],
      asked: ["How many coins do I pay for {subject}?", "What price does {subject} have?"],
    },
    color: {
      value: of(colors),
      told: ["The color of {subject} is {value}.", "We painted {subject} {value}."],
      asked: ["Which color does {subject} have?", "In the text, what is the color of {subject}?"],
    },
    maker: {
      value: personName,
      told: ["It was {value} who made {subject}.", "The maker of {subject} is called {value}."],
      asked: ["Who is the maker of {subject}?", "By whom was {subject} made?"],
    },
    shelf: {
      value: number(1, 60),
      told: ["You find {subject} on shelf {value}.", "Look for {subject} on shelf number {value}."],
      asked: ["On which shelf do I find {subject}?", "What is the number of the shelf with {subject}?"],
    },
  },
};

const trips: Domain = {
  name: "trips",
  opening: [
    "The holidays begin soon.",
    "Everybody is packing for a trip.",
    "Our plans for the summer are ready.",
  ],
  subject: personName,
  facts: {
    goal: {
      value: of(cities),
      told: ["{subject} wants to travel to {value}.", "The trip of {subject} goes to {value}."],
      asked: ["To which city does {subject} want to travel?", "Where does the trip of {subject} go?"],
    },
    day: {
      value: of(weekdays),
      told: ["{subject} starts on {value}.", "On {value} the journey of {subject} begins."],
      asked: ["On what day does {subject} start?", "When does the journey of {subject} begin?"],
    },
    luggage: {
      value: of(nouns),
      told: ["In the bag of {subject} there is a {value}.", "{subject} has packed a {value}."],
      asked: ["What has {subject} packed?", "Which thing is in the bag of {subject}?"],
    },
    days: {
      value: number(2, 60),
      told: ["{subject} stays away for {value} days.", "The trip of {subject} lasts {value} days."],
      asked: ["For how many days is {subject} away?", "How many days does {subject} travel?"],
    },
  },
};

const team: Domain = {
  name: "team",
  opening: ["The new season has begun.", "Our team has new players.", "The coach wrote down the players."],
  subject: (chance) => `${personName(chance)} ${chance.pick(surnames)}`,
  facts: {
    shirt: {
      value: number(1, 99),
      told: [
        "{subject} plays with the number {value}.",
        "On the shirt of {subject} stands the number {value}.",
      ],
      asked: ["Which number stands on the shirt of {subject}?", "With what number does {subject} play?"],
    },
    goals: {
      value: number(2, 80),
      told: ["{subject} scored {value} goals.", "So far {subject} has {value} goals."],
      asked: ["How many goals does {subject} have?", "How many goals did the player {subject} score?"],
    },
    from: {
      value: of(cities),
      told: ["{subject} was born and grew up in {value}.", "{subject} comes from the city of {value}."],
      asked: ["In which city was {subject} born?", "From what place does {subject} come?"],
    },
    trait: {
      value: of(adjectives),
      told: ["The coach says that {subject} is {value}.", "The others call {subject} {value}."],
      asked: ["What do they say {subject} is like?", "Which word do they use for {subject}?"],
    },
  },
};

const village: Domain = {
  name: "village",
  opening: [
    "A guide book tells about some towns.",
    "These towns are worth a visit.",
    "We drove through the country.",
  ],
  subject: (chance) => chance.pick(cities),
  facts: {
    mayor: {
      value: personName,
      told: ["The people of {subject} chose {value} as mayor.", "{value} is mayor in {subject}."],
      asked: [
        "Who is mayor in {subject} according to the text?",
        "Whom did the people of {subject} choose as mayor?",
      ],
    },
    streets: {
      value: number(10, 900),
      told: ["There are {value} streets in {subject}.", "{subject} has {value} streets."],
      asked: ["How many streets are there in {subject}?", "What is the number of streets in {subject}?"],
    },
    food: {
      value: of(foods),
      told: ["People go to {subject} to buy {value}.", "{subject} is known for good {value}."],
      asked: ["What do people buy in {subject}?", "Which food is {subject} known for?"],
    },
    market: {
      value: of(weekdays),
      told: ["The market of {subject} is on {value}.", "On {value} there is a market in {subject}."],
      asked: ["When is the market of {subject}?", "On what day is there a market in {subject}?"],
    },
  },
};

const letters: Domain = {
  name: "letters",
  opening: [
    "The postman has a full bag.",
    "Some parcels have come.",
    "In the post office they sort the parcels.",
  ],
  subject: personName,
  facts: {
    content: {
      value: of(nouns),
      told: ["The parcel for {subject} holds a {value}.", "In the parcel for {subject} is a {value}."],
      asked: ["What is in the parcel for {subject}?", "Which thing does the parcel for {subject} hold?"],
    },
    sender: {
      value: personName,
      told: ["It is {value} who sent something to {subject}.", "{subject} gets a parcel from {value}."],
      asked: ["From whom does {subject} get a parcel?", "Who sent something to {subject}?"],
    },
    weight: {
      value: number(2, 60),
      told: ["The parcel for {subject} weighs {value} kilos.", "What {subject} gets weighs {value} kilos."],
      asked: [
        "How many kilos does the parcel for {subject} weigh?",
        "What is the weight of the parcel for {subject}?",
      ],
    },
    room: {
      value: of(rooms),
      told: ["{subject} wants the parcel in the {value}.", "The parcel for {subject} goes into the {value}."],
      asked: [
        "Into which room does the parcel for {subject} go?",
        "In what room does {subject} want the parcel?",
      ],
    },
  },
};

export const domains: readonly Domain[] = [people, shop, trips, team, village, letters];
