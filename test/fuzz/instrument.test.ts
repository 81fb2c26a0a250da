import { expect, it, onTestFinished } from "vitest";
import { compile } from "../../scripts/qa/fuzz/build/instrument.js";
import { Edges } from "../../scripts/qa/fuzz/edges.js";

const source = `
  export function classify(n: number): string {
    if (n < 0) return "negative";
    for (let i = 0; i < n; i += 1) if (i > 500) break;
    switch (n) {
      case 1: return "one";
      default: return n > 9 && n % 2 === 0 ? "even" : [n].map((x) => ({ x }))[0]?.x === 3 ? "three" : "odd";
    }
  }
  export const from = import.meta.url;
`;

interface Compiled {
  readonly classify: (n: number) => string;
  readonly from: string;
}

async function load(edges: Edges): Promise<Compiled> {
  edges.install();
  onTestFinished(() => {
    globalThis.fuzzCounters = undefined;
  });
  const request = {
    path: "src/classify.ts",
    url: "file:///src/classify.ts",
  };
  const code = compile({ ...request, text: source, isInstrumented: true });
  return (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as Compiled;
}

it("an instrumented module does what it did, and each new branch is noticed once", async () => {
  const edges = new Edges();
  const { classify, from } = await load(edges);
  expect(from).toBe("file:///src/classify.ts");
  edges.collect("");
  const isNew = (n: number, expected: string): boolean => {
    edges.clear();
    expect(classify(n)).toBe(expected);
    return edges.collect("");
  };
  expect(isNew(-1, "negative")).toBe(true);
  expect(isNew(-2, "negative")).toBe(false);
  expect(isNew(1, "one")).toBe(true);
  expect(isNew(12, "even")).toBe(true);
  expect(isNew(14, "even")).toBe(false);
  expect(isNew(3, "three")).toBe(true);
  expect(isNew(5, "odd")).toBe(true);
  // The same branches, but many times.
  expect(isNew(401, "odd")).toBe(true);
  expect(isNew(403, "odd")).toBe(false);
  expect(isNew(2000, "even")).toBe(true);
  expect(edges.reached).toBe(edges.blocks);
  expect(edges.words).toContain("negative");
});

it("an outcome with a new label is something new", () => {
  const edges = new Edges();
  expect(["a", "a", "b"].map((label) => edges.collect(label))).toEqual([true, false, true]);
});
