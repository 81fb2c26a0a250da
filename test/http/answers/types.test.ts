import { expect, it } from "vitest";
import { readAnswerTypes } from "../../kit/clients/type-problems.js";
import { fileServer } from "../../kit/server.js";
import { anthropicCases } from "./anthropic.js";
import { ollamaCases } from "./ollama.js";
import { openaiCases } from "./openai.js";
import { responsesCases } from "./responses.js";
import { asker, playing } from "./served.js";

const cases = [...openaiCases, ...responsesCases, ...anthropicCases, ...ollamaCases];
const types = readAnswerTypes(cases);
const shared = fileServer(playing);

/** Collects the values of `type` at any depth. */
function kindsIn(value: unknown): readonly string[] {
  if (typeof value !== "object" || value === null) return [];
  const own = "type" in value && typeof value.type === "string" ? [value.type] : [];
  return [...own, ...Object.values(value).flatMap(kindsIn)];
}

it.each(cases.map((each, index) => ({ ...each, of: each.what ?? "whole", type: types[index] })))(
  "sends what $from declares as $name ($of), with each member that it requires and no other null or name, or says why not",
  async ({ values, kept = {}, kinds = [], type }) => {
    if (type === undefined) throw new Error("no type");
    const server = shared();
    const answered = await values(asker(server, server.apiKey));
    expect(answered.length).toBeGreaterThan(0);
    const problems = new Set(answered.flatMap((each) => type.listProblems(each)));
    expect([...problems].toSorted()).toEqual(Object.values(kept).flat().toSorted());
    const seen = new Set(answered.flatMap(kindsIn));
    expect(kinds.filter((kind) => !seen.has(kind))).toEqual([]);
    // The check itself: an answer without a required member, as after an update that adds one, does not pass.
    const [value] = answered;
    for (const name of type.required.filter((each) => !problems.has(`${each}: is absent`))) {
      const cut = JSON.parse(JSON.stringify({ ...(value as object), [name]: undefined })) as unknown;
      const found = type.listProblems(cut).filter((problem) => !problems.has(problem));
      expect([name, found]).not.toEqual([name, []]);
    }
  },
);
