import { drawScene, shapes, type Scene, type Thing } from "../../../../../test/kit/pictures/scene.js";
import { captionOf, nounsOf } from "../../../../../test/kit/pictures/sentences.js";
import type { Dice } from "../dice.js";
import type { ChatSkill, Draft } from "./draft.js";
import { colors, heldNumber, invented } from "../pools.js";
import { fill, said } from "../templates.js";

const templates = {
  all: [
    "What do you see when you look at this image?",
    "Please tell me what this image shows.",
    "Can you say what is on this picture?",
    "I cannot see the picture. What is on it?",
    "Look at the picture and describe it to me.",
    "Which things are there in this image?",
    "What has been drawn here?",
  ],
  color: [
    "Which color did they use for the {shape}?",
    "In what color is the {shape} drawn?",
    "Tell me the color of the {shape} in the picture.",
    "The {shape} in the image, what color is it?",
    "I want to know which color the {shape} has.",
    "Which color has been given to the {shape}?",
  ],
  shape: [
    "Which of the shapes is the {color} one?",
    "What is the {color} thing in the picture?",
    "Name the shape that is {color}.",
    "There is something {color} in the image. Which shape is it?",
    "The {color} thing, what shape is it?",
    "Tell me the shape of the {color} thing.",
  ],
  count: [
    "How many {shapes} do you see in the picture?",
    "Count the {shapes} in the image.",
    "What is the number of {shapes} here?",
    "Tell me how many {shapes} there are in this picture.",
    "How many {shapes} has somebody drawn here?",
    "The image has how many {shapes}?",
  ],
  place: [
    "In what part of the picture is the {shape}?",
    "Where in the picture do you see the {shape}?",
    "Tell me where the {shape} is in the image.",
    "At what place has the {shape} been drawn?",
    "I am looking for the {shape}. Where is it?",
    "The {shape} in the image, where is it?",
  ],
  ground: [
    "Which color did they use for the background?",
    "In what color is the background of the image?",
    "Tell me the color of the background in the picture.",
    "What color lies behind the things in the picture?",
    "I want to know which color the background has.",
    "The background, what color is it?",
  ],
  text: [
    "What can I read in the image?",
    "Which {kind} is written in the picture?",
    "Tell me what is written there.",
    "Read the image to me, please.",
    "What does it say in this picture?",
    "There is a {kind} in the image. Which one?",
  ],
} as const;

type Kind = keyof typeof templates;

/** Skill: a question about the caption of an image. */
interface Seen {
  readonly caption: string;
  readonly kind: Kind;
  readonly slots: Readonly<Record<string, string>>;
  readonly expect: Draft["expect"];
  readonly values: readonly string[];
}

const terms = { freeColors: false, largeMax: 0.28 };

/** Puts the caption of an image on a separate line, as the server does, and adds a question about it. */
export const image: ChatSkill = {
  name: "image",
  templates,
  draw(chance) {
    const { caption, kind, slots, expect, values } = drawSeen(chance);
    const question = said(chance, fill(chance.pick<string>(templates[kind]), slots));
    const parts = [`[image: ${caption}]`, question];
    return { text: (chance.happens(0.5) ? parts : parts.toReversed()).join("\n"), expect, values };
  },
};

function drawSeen(chance: Dice): Seen {
  if (chance.happens(0.12)) return written(chance);
  for (;;) {
    const scene = drawScene(() => chance.unit(), terms);
    const kind = chance.pick(["all", "color", "shape", "count", "place", "ground"] as const);
    const asked = questions[kind](chance, scene);
    if (asked !== null) return { caption: captionOf(scene), kind, values: [], ...asked };
  }
}

type Question = Pick<Seen, "slots" | "expect">;

/** Returns null if the scene does not determine the answer. */
const questions: Readonly<Record<Exclude<Kind, "text">, (chance: Dice, scene: Scene) => Question | null>> = {
  all: (_, scene) => ({ slots: {}, expect: { contains: [...nounsOf(scene)] } }),
  ground: (_, scene) => ({ slots: {}, expect: { words: [scene.ground] } }),
  color(chance, scene) {
    const thing = findLone(chance, scene, ({ shape }) => shape);
    if (thing === null) return null;
    const without = except(
      thing.color,
      scene.things.map(({ color }) => color),
    );
    return { slots: { shape: thing.shape }, expect: { words: [thing.color], without } };
  },
  shape(chance, scene) {
    const thing = findLone(chance, scene, ({ color }) => color);
    if (thing === null) return null;
    const without = except(thing.shape, shapes);
    return { slots: { color: thing.color }, expect: { words: [thing.shape], without } };
  },
  place(chance, scene) {
    const thing = findLone(chance, scene, ({ shape }) => shape);
    return thing === null ? null : { slots: { shape: thing.shape }, expect: placeExpected(thing.cell) };
  },
  count(chance, scene) {
    const { shape } = chance.pick(scene.things);
    const alike = scene.things.filter((thing) => thing.shape === shape);
    if (new Set(alike.map(({ color, size }) => `${color} ${size}`)).size > 1) return null;
    const plural = shape === "cross" ? "crosses" : `${shape}s`;
    return { slots: { shapes: plural }, expect: { number: alike.length } };
  },
};

/** Returns a thing that is unique in this respect. */
function findLone(chance: Dice, { things }: Scene, respect: (thing: Thing) => string): Thing | null {
  const lone = things.filter(
    (thing) => things.filter((each) => respect(each) === respect(thing)).length === 1,
  );
  return lone.length === 0 ? null : chance.pick(lone);
}

function placeExpected(cell: number): Draft["expect"] {
  const row = ["top", "", "bottom"][Math.floor(cell / 3)] ?? "";
  const column = ["left", "", "right"][cell % 3] ?? "";
  const named = [row, column].filter((word) => word !== "");
  const without = except("", ["top", "bottom", "left", "right"]).filter((word) => !named.includes(word));
  return named.length === 0 ? { anyOf: ["centre", "center", "middle"], without } : { words: named, without };
}

function except(one: string, all: readonly string[]): string[] {
  return [...new Set(all)].filter((each) => each !== one);
}

/** Generates a question about an image of a word or a number. */
function written(chance: Dice): Seen {
  const number = chance.happens(0.5);
  const text = number
    ? String(heldNumber(chance, 10, chance.pick([99, 999, 9999])))
    : invented(chance).slice(0, 5).toUpperCase();
  const [color, ground] = chance.some(colors, 2);
  const [kind, article] = [number ? "number" : "word", ground === "orange" ? "an" : "a"];
  const caption = `the ${kind} ${text} in ${color} on ${article} ${ground} background`;
  return { caption, kind: "text", slots: { kind }, expect: { words: [text] }, values: [text] };
}
