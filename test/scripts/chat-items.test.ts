import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { describe, expect, it } from "vitest";
import { dice } from "../../scripts/train/eval-builtin/chat/dice.js";
import type { ChatSkill, Draft } from "../../scripts/train/eval-builtin/chat/skills/draft.js";
import {
  chatSkills,
  generateItems,
  generateSkill,
  refuseShared,
} from "../../scripts/train/eval-builtin/chat/generate.js";
import { isHeld, isUsable, refusal } from "../../scripts/train/eval-builtin/chat/held.js";
import {
  fill,
  listed,
  normalized,
  trainedTemplates,
  listWords,
} from "../../scripts/train/eval-builtin/chat/templates.js";
import { askedText, readItems } from "../../scripts/train/eval-builtin/items.js";
import { useFolder } from "../models/folder.js";

const training = fileURLToPath(new URL("../../scripts/train/chat", import.meta.url));
const skills = chatSkills.map(({ name }) => name);
const world = { facts: [], trainedWords: new Set<string>() };
const order = { skills, itemsPerSkill: 200, seed: 1 };

/** Returns the text with the first ending that makes it held out, or not. */
function textThatIs(held: boolean, start: string): string {
  const texts = Array.from({ length: 100 }, (_, index) => `${start} ${index}`);
  const found = texts.find((text) => isHeld(text) === held);
  if (found === undefined) throw new Error("no such text");
  return found;
}

describe("the texts held out of training", () => {
  it("are chosen by checksum, regardless of case and spaces, as in scripts/train/chat/texts/pools.py", () => {
    const words = ["Ada", "Bob", "Lund", "Paris", "cup", "house", "4711", "12+30", "Joy", "Otto"];
    expect(words.filter(isHeld)).toEqual(["Ada", "Lund", "cup", "Joy", "Otto"]);
    expect(isHeld("  ADA ")).toBe(true);
    expect(isHeld("to\n be ")).toBe(isHeld("To be"));
  });

  it("do not include common values", () => {
    const colors = ["red", "green", "blue", "Monday", "Tuesday", "star", "7", "9"];
    expect(colors.every(isUsable)).toBe(true);
    expect([10, 11, 12, 13, 14, 15, 16].map(String).filter(isUsable)).toEqual(["14", "16"]);
  });
});

describe("an item is rejected", () => {
  const text = textThatIs(true, "What is that?");

  it("if its text is not held out", () => {
    const known = textThatIs(false, "What is that?");
    expect(refusal({ text: known, values: [] }, new Set())).toBe(
      `the text ${JSON.stringify(known)} may have been trained on`,
    );
    expect(refusal({ text, values: [] }, new Set())).toBeNull();
  });

  it("if one of its values is not held out", () => {
    expect(refusal({ text, values: ["Ada", "red", "5"] }, new Set())).toBeNull();
    const two = { text, values: ["Ada", "Bob"] };
    expect(refusal(two, new Set())).toBe('the value "Bob" may have been trained on');
  });

  it("if one of its values is a word of the training's sentences or facts", () => {
    const words = listWords(["Say {what}: Ada, red"]);
    expect(refusal({ text, values: ["Joy", "red"] }, words)).toBeNull();
    expect(refusal({ text, values: ["Joy", "Ada"] }, words)).toBe(
      'the value "Ada" is a word of the training',
    );
  });

  it("and replaced by another", () => {
    const generated: string[] = [];
    const draw = (): Draft => {
      const asked = `What is that? ${generated.length}`;
      generated.push(asked);
      return { text: asked, values: [], expect: {} };
    };
    const skill: ChatSkill = { name: "any", templates: [], draw };
    const items = generateSkill(skill, world, { itemsPerSkill: 10, seed: 1 });
    expect(items.map(askedText)).toEqual(generated.filter(isHeld).slice(0, 10));
  });

  it("so that a skill without held-out values has no items", () => {
    const known = textThatIs(false, "What is that?");
    const skill: ChatSkill = {
      ...{ name: "any", templates: [] },
      draw: () => ({ text: known, values: [], expect: {} }),
    };
    expect(() => generateSkill(skill, world, { itemsPerSkill: 1, seed: 1 })).toThrow(
      "too little to ask of the skill 'any'",
    );
  });
});

describe("a template that the training also has is rejected", () => {
  const folder = useFolder();
  const own = [{ name: "recall", templates: { ask: ["What is my {what}?", "Who am I?"] } }];

  it("regardless of case, slots and punctuation", () => {
    expect(normalized("What is my {what}?")).toBe(normalized(" what is MY {name} "));
    expect(normalized("What is my {what}?")).not.toBe(normalized("What is {what}?"));
    expect(() => refuseShared(own, ["what's up", "What is my {name}"])).toThrow(
      'these templates are in the training too:\nrecall: "What is my {what}?"',
    );
    expect(() => refuseShared(own, ["What is your {name}?"])).not.toThrow();
  });

  it("at any depth of the phrasing files", async () => {
    await folder.write("phrasings/a.json", JSON.stringify({ ask: { deep: [["who am i"]] } }));
    await folder.write("phrasings/b.json", JSON.stringify(["Hello"]));
    const trained = await trainedTemplates(join(folder.path, "phrasings"));
    expect(trained).toEqual(["who am i", "Hello"]);
    expect(() => refuseShared(own, trained)).toThrow("Who am I?");
  });

  it("and no items are generated", async () => {
    const [template] = listed(chatSkills.find(({ name }) => name === "words")?.templates);
    await folder.write("phrasings/words.json", JSON.stringify({ repeat: [template] }));
    await expect(generateItems(folder.path, { ...order, skills: ["words"] })).rejects.toThrow("words: ");
  });
});

describe("the items of the chat model", () => {
  const useful = useFolder();

  it("are 200 per skill, all different, equal for equal seeds and different for different seeds", async () => {
    const items = await generateItems(training, order);
    const counts = skills.map((skill) => items.filter((item) => item.skill === skill).length);
    expect(counts).toEqual(skills.map(() => 200));
    expect(new Set(items.map((item) => JSON.stringify(item))).size).toBe(items.length);
    const few = await generateItems(training, { ...order, itemsPerSkill: 20 });
    expect(few).toEqual(skills.flatMap((skill) => items.filter((item) => item.skill === skill).slice(0, 20)));
    const others = await generateItems(training, { ...order, itemsPerSkill: 20, seed: 2 });
    expect(others.filter((item) => few.some((each) => isDeepStrictEqual(each, item))).length).toBeLessThan(
      20,
    );
  });

  it("end with a held-out text, also if only some skills are requested", async () => {
    const items = await generateItems(training, { skills: ["passage", "tools"], itemsPerSkill: 20, seed: 1 });
    expect(items.map(askedText).every(isHeld)).toBe(true);
    expect(items).toHaveLength(40);
  });

  it("can be written and read", async () => {
    const items = await generateItems(training, { ...order, itemsPerSkill: 3 });
    const path = await useful.write("items.jsonl", items.map((item) => JSON.stringify(item)).join("\n"));
    expect(await readItems(path)).toEqual(items);
  });
});

describe("templates", () => {
  it("are filled, with `an` before a vowel", () => {
    expect(fill("A {thing} and a {other}: {number}", { thing: "axe", other: "cup", number: 3 })).toBe(
      "An axe and a cup: 3",
    );
    expect(() => fill("{missing}", {})).toThrow("no {missing}");
  });

  it("are chosen reproducibly for a seed", () => {
    const some = (seed: number): readonly number[] => dice(seed).some([1, 2, 3, 4, 5, 6, 7, 8], 4);
    expect(some(3)).toEqual(some(3));
    expect(new Set(some(3)).size).toBe(4);
    expect(() => dice(1).some([1], 2)).toThrow("2 wanted of 1");
    expect(() => dice(1).pick([])).toThrow("nothing to pick from");
  });
});
