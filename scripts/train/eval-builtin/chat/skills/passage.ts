import type { Dice } from "../dice.js";
import type { ChatSkill } from "./draft.js";
import { domains, type Domain } from "./passage-domains.js";
import { fill } from "../templates.js";

const leads = [
  "I found this text. {passage} Now answer me this. {question}",
  "Read this first: {passage}\n\n{question}",
  "{passage}\n\nMy question about this text: {question}",
  "{passage}\n\n{question} Use only the text.",
  "Text:\n{passage}\n\nNow please tell me this: {question}",
  "I have a question about a text. {question}\n\n{passage}",
  "Answer with the help of this text.\n\n{passage}\n\n{question}",
  'A friend wrote this to me: "{passage}" {question}',
] as const;

const wordsMin = 20;
const wordsMax = 150;

/** Skill: find a value in a passage of up to 150 words. */
export const passage: ChatSkill = {
  name: "passage",
  templates: {
    leads,
    ...Object.fromEntries(domains.map(({ name, facts, opening }) => [name, { facts, opening }])),
  },
  draw(chance) {
    const domain = chance.pick(domains);
    for (;;) {
      const told = tell(chance, domain);
      const length = told.text.split(/\s+/).length;
      if (length < wordsMin || length > wordsMax) continue;
      const asked = chance.pick(told.asked);
      const text = fill(chance.pick(leads), { passage: told.text, question: asked.question });
      return { text, values: told.values, expect: { words: [asked.value], without: [...asked.others] } };
    }
  },
};

interface Asked {
  readonly question: string;
  readonly value: string;
  /** The answers to the same question about the other subjects. */
  readonly others: readonly string[];
}

interface Told {
  readonly text: string;
  readonly asked: readonly Asked[];
  readonly values: readonly string[];
}

/** Generates subjects of a domain with some of their properties, one sentence per property. */
function tell(chance: Dice, domain: Domain): Told {
  const subjects = different(chance, domain.subject, chance.between(2, 5));
  const properties = chance.some(
    Object.entries(domain.facts),
    chance.between(2, Object.keys(domain.facts).length),
  );
  const columns = properties.map(([name, fact]) => ({
    ...{ name, fact },
    values: different(chance, fact.value, subjects.length),
  }));
  const sentences = subjects.flatMap((subject, index) =>
    columns.map(({ fact, values }) => fill(chance.pick(fact.told), { subject, value: values[index] ?? "" })),
  );
  const asked = subjects.flatMap((subject, index) =>
    columns.map(({ fact, values }): Asked => {
      const value = values[index] ?? "";
      const others = values.filter((each) => each !== value);
      return { question: fill(chance.pick(fact.asked), { subject }), value, others };
    }),
  );
  const text = [...(chance.happens(0.7) ? [chance.pick(domain.opening)] : []), ...sentences].join(" ");
  return { text, asked, values: [...subjects, ...columns.flatMap(({ values }) => values)] };
}

function different(chance: Dice, draw: (chance: Dice) => string, count: number): readonly string[] {
  const found = new Set<string>();
  while (found.size < count) found.add(draw(chance));
  return [...found];
}
