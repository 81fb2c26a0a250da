import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { root } from "../../kit/folder.js";
import { fileServer } from "../../kit/server.js";
import { builtInModel, testKey } from "../../kit/server/settings.js";

const shared = fileServer();
const model = "hearth-embed-1m";
type Triple = readonly [text: string, similar: string, different: string];
const triples = JSON.parse(
  readFileSync(join(root, "scripts/train/embedder/triples.json"), "utf8"),
) as readonly Triple[];

const embed = async (input: string[]): Promise<readonly (readonly number[])[]> =>
  (await shared().client.embeddings.create({ model, input })).data.map(({ embedding }) => embedding);

const dot = (a: readonly number[] = [], b: readonly number[] = []): number =>
  a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);

/** The cosine of the words that two texts share. */
const sharedWords = (a: string, b: string): number => {
  const [one, other] = [a, b].map((text) => new Set(text.toLowerCase().match(/[a-z]+/g)));
  if (one === undefined || other === undefined) return 0;
  return [...one].filter((word) => other.has(word)).length / Math.sqrt(one.size * other.size);
};

/** The share of the texts whose own counterpart is the closest of all. */
const found = (closeness: (text: number, counterpart: number) => number): number => {
  const hits = triples.filter((_, text) => {
    const own = closeness(text, text);
    return triples.every((__, other) => other === text || closeness(text, other) < own);
  });
  return hits.length / triples.length;
};

describe("the built-in embedding model", () => {
  it("has at most 1 MB", () => {
    expect(statSync(join(root, "models", model, `${model}.gguf`)).size).toBeLessThanOrEqual(1_000_000);
  });

  it("finds what is similar in meaning where the shared words mislead, and better than shared words do", async () => {
    const vectors = await embed(triples.flat());
    const at = (text: number, part: 0 | 1 | 2): readonly number[] | undefined => vectors[3 * text + part];
    const right = triples.filter((_, text) => {
      const similar = dot(at(text, 0), at(text, 1));
      return similar > dot(at(text, 0), at(text, 2));
    });
    const rightByWords = triples.filter(
      ([text, similar, different]) => sharedWords(text, similar) > sharedWords(text, different),
    );
    const nearest = found((text, counterpart) => dot(at(text, 0), at(counterpart, 1)));
    const nearestByWords = found((text, counterpart) =>
      sharedWords(triples[text]?.[0] ?? "", triples[counterpart]?.[1] ?? ""),
    );
    expect(right.length / triples.length).toBeGreaterThanOrEqual(0.85);
    expect(rightByWords.length / triples.length).toBeLessThan(0.1);
    expect(nearest).toBeGreaterThanOrEqual(0.7);
    expect(nearestByWords).toBeLessThan(0.2);
  });

  it("has a vector of length 1 also for a text of which it knows no word", async () => {
    for (const vector of await embed(["\u4f60\u597d", " ", "qzxv"]))
      expect(dot(vector, vector)).toBeCloseTo(1, 5);
  });

  it("embeds while a chat is generated, and neither changes the other", async () => {
    const { client } = shared();
    const chat = async () => {
      const answer = await client.chat.completions.create({
        model: builtInModel,
        messages: [{ role: "user", content: "What is the capital of France?" }],
        temperature: 0,
        max_completion_tokens: 40,
      });
      return answer.choices[0]?.message.content;
    };
    const texts = Array.from({ length: 100 }, (_, at) => `the cat number ${at}`);
    const alone = [await chat(), await embed(texts)];
    expect(await Promise.all([chat(), embed(texts)])).toEqual(alone);
  });

  it("ranks documents by similarity", async () => {
    const response = await fetch(`${shared().url}/v1/rerank`, {
      method: "POST",
      headers: { authorization: `Bearer ${testKey}`, "content-type": "application/json" },
      body: JSON.stringify({
        model: "hearth-embed",
        query: "pets at home",
        documents: ["The price of oil rose", "A kitten and a puppy sleep on the sofa", "The train was late"],
        top_n: 1,
      }),
    });
    expect(await response.json()).toMatchObject({ model: "hearth-embed", results: [{ index: 1 }] });
  });
});
