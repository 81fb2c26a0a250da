import type { Dice } from "../dice.js";
import type { ChatSkill, Draft } from "./draft.js";
import { subjects, type Field } from "./json-fields.js";
import { fill, said } from "../templates.js";

const templates = {
  /** Templates with values next to the names of their fields. */
  pairs: [
    "Please put all of this into a JSON object: {pairs}.",
    "Please make a JSON object out of these fields: {pairs}.",
    "I need an object with {pairs}.",
    "The form says {pairs}. Give it to me as JSON.",
    "Write down as JSON: {pairs}",
    "Here is what I know: {pairs}. Turn it into JSON.",
    "Fill in the fields with these values: {pairs}.",
  ],
  /** Templates with values in a sentence or two. */
  sentences: [
    "Extract the fields from this text: {sentences}",
    "{sentences} Now give me all of that as JSON.",
    "Read this and fill in the object: {sentences}",
    "{sentences} Please write it down as an object.",
    "Turn this note into JSON. {sentences}",
    "What are the values of the fields? {sentences}",
  ],
} as const;

const pairForms = ["{field}: {value}", "{field} is {value}", "{field} {value}", "{field} = {value}"] as const;

/** Skill: a JSON object of a given schema, with its values in the user's words. */
export const json: ChatSkill = {
  name: "json",
  templates: {
    ...templates,
    subjects: subjects.map(({ opening, fields }) => [opening, fields.map(({ told }) => told)]),
  },
  draw(chance) {
    const subject = chance.pick(subjects);
    const count = chance.between(1, Math.min(8, subject.fields.length));
    const wanted = chance.some(subject.fields, count);
    const fields = subject.fields
      .filter((field) => wanted.includes(field))
      .map((field) => drawn(chance, field));
    const told = chance.happens(0.5) ? pairs(chance, fields) : sentences(chance, subject.opening, fields);
    const object = Object.fromEntries(fields.map(({ name, value }) => [name, value]));
    return {
      text: said(chance, told),
      values: fields.flatMap(({ value }) => listContent(value)),
      responseFormat: createFormat(subject.name, fields),
      expect: { json: object },
      alone: true,
    };
  },
};

interface Drawn {
  readonly name: string;
  readonly schema: Readonly<Record<string, unknown>>;
  readonly value: unknown;
  readonly told: string;
}

function drawn(chance: Dice, field: Field): Drawn {
  const value = field.value(chance);
  const told = typeof value === "boolean" ? (field.told[value ? 0 : 1] ?? "") : chance.pick(field.told);
  return { name: field.name, schema: field.schema, value, told: fill(told, { value: inWords(value) }) };
}

/** Returns a value as a person writes it in a sentence. */
function inWords(value: unknown): string {
  if (Array.isArray(value))
    return value.length < 2 ? value.join("") : `${value.slice(0, -1).join(", ")} and ${String(value.at(-1))}`;
  if (typeof value === "object" && value !== null) return Object.values(value).join(", ");
  return String(value);
}

function pairs(chance: Dice, fields: readonly Drawn[]): string {
  const form = chance.pick(pairForms);
  const each = fields.map(({ name, value }) => fill(form, { field: name, value: plain(value) }));
  return fill(chance.pick(templates.pairs), { pairs: each.join(", ") });
}

/** Returns a value as it is written next to its name. */
function plain(value: unknown): string {
  if (Array.isArray(value)) return value.join(" and ");
  if (typeof value !== "object" || value === null) return String(value);
  return Object.entries(value)
    .map(([key, inner]) => `${key} ${String(inner)}`)
    .join(" and ");
}

function sentences(chance: Dice, opening: string, fields: readonly Drawn[]): string {
  const all = [opening, ...fields.map(({ told }) => told)].filter((each) => each !== "");
  return fill(chance.pick(templates.sentences), { sentences: all.join(" ") });
}

function createFormat(name: string, fields: readonly Drawn[]): NonNullable<Draft["responseFormat"]> {
  const schema = {
    type: "object",
    properties: Object.fromEntries(fields.map((field) => [field.name, field.schema])),
    required: fields.map((field) => field.name),
    additionalProperties: false,
  };
  return { type: "json_schema", json_schema: { name, strict: true, schema } };
}

/** Returns the words and numbers of a value, all of which must be held out. */
export function listContent(value: unknown): readonly string[] {
  if (typeof value === "string") return value.replace(/^the /, "").split(" ");
  if (typeof value === "number") return [String(value)];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(listContent) : [];
}
