import type { LlamaGrammar } from "node-llama-cpp";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { loadLlama } from "../kit/engine/llama.js";
import { matchesGrammar, parseGbnf, sampleText } from "../kit/grammar/gbnf-matcher.js";

interface Grammar {
  readonly text: string;
  readonly yes: readonly string[];
  readonly no: readonly string[];
}

const grammars: Readonly<Record<string, Grammar>> = {
  "literals and their escapes": {
    text: String.raw`root ::= "a\"\\\n\x41\u00e9" "😀"`,
    yes: ['a"\\\nAé😀'],
    no: ["", 'a"\\\nAé', 'a"\\\nAé😀x'],
  },
  "classes, ranges, negation, any": {
    text: String.raw`root ::= [a-c\]\x30-] [^x\n] .`,
    yes: ["ayz", "]yz", "0-\n", "-é😀"],
    no: ["dyz", "axz", "a\nz", "ay"],
  },
  "alternatives, groups, an empty one": {
    text: `root ::= ("a" | "b" c # a comment\n |) "x"\nc ::= "c" | ("d" "e")`,
    yes: ["x", "ax", "bcx", "bdex"],
    no: ["bx", "bdx", "a"],
  },
  "repetitions with bounds": {
    text: `root ::= "a"{2} "b"{1,} "c"{0,2} ("d" "e")? "f"*`,
    yes: ["aab", "aabbbccdefff"],
    no: ["ab", "aa", "aabccc", "aabde de"],
  },
  "a repeated literal is repeated as a whole": {
    text: `root ::= "ab"+`,
    yes: ["ab", "abab"],
    no: ["", "abb"],
  },
  "repetitions of what may be empty": {
    text: `root ::= ("a"? "b"?){0,3} "c"`,
    yes: ["c", "ababc"],
    no: ["abababac"],
  },
  "recursion, in the middle and on the right": {
    text: `root ::= list\nlist ::= "[" (item ("," item)*)? "]"\nitem ::= list | word\nword ::= [a-z] word | [a-z]`,
    yes: ["[]", "[ab,[c,[]]]"],
    no: ["[", "[,]", "[a]]"],
  },
};

describe("the GBNF matcher of the tests", () => {
  it.each(Object.entries(grammars))("accepts and rejects the expected texts: %s", (_, { text, yes, no }) => {
    const grammar = parseGbnf(text);
    expect(yes.filter((one) => !matchesGrammar(grammar, one))).toEqual([]);
    expect(no.filter((one) => matchesGrammar(grammar, one))).toEqual([]);
  });

  it("agrees with llama.cpp", async () => {
    const llama = await loadLlama();
    for (const { text, yes, no } of Object.values(grammars)) {
      const grammar = (await llama.createGrammar({ grammar: text })) as LlamaGrammar & {
        _testText(text: string): boolean;
      };
      expect([...yes, ...no].map((one) => grammar._testText(one))).toEqual([
        ...yes.map(() => true),
        ...no.map(() => false),
      ]);
    }
  });

  it("matches a long text without a deep stack", () => {
    const grammar = parseGbnf(`root ::= [a-z] root | "!"`);
    expect(matchesGrammar(grammar, `${"a".repeat(50_000)}!`)).toBe(true);
  });

  it("rejects a left-recursive grammar instead of looping", () => {
    expect(() => matchesGrammar(`root ::= root "a" | "b"`, "b")).toThrow(/left-recursive/);
  });

  it("matches every text that the sampler generates", () => {
    const parsed = Object.values(grammars).map(({ text }) => parseGbnf(text));
    const property = fc.property(fc.constantFrom(...parsed), fc.array(fc.nat(999)), (grammar, chances) => {
      let nth = 0;
      const random = (): number => (chances[nth++ % Math.max(1, chances.length)] ?? 0) / 1000;
      const text = sampleText(grammar, { random, charactersMax: 40 });
      expect([text, matchesGrammar(grammar, text)]).toEqual([text, true]);
    });
    fc.assert(property, { numRuns: 500 });
  });

  it("samples different texts, and terminates for a grammar without a longest text", () => {
    const grammar = parseGbnf(grammars["recursion, in the middle and on the right"]?.text ?? "");
    let seed = 1;
    const random = (): number => (seed = (seed * 16807) % 2147483647) / 2147483647;
    const texts = Array.from({ length: 200 }, () => sampleText(grammar, { random }));
    expect(new Set(texts).size).toBeGreaterThan(30);
    expect(Math.max(...texts.map((text) => text.length))).toBeLessThan(2000);
  });

  it.each([
    ['root ::= "a', /a literal|expected/],
    ["root ::= a", /not defined/],
    ['x ::= "a"', /named root/],
    ['root ::= "a"\nroot ::= "b"', /twice/],
    ['root ::= ("a"', /expected \)/],
    [String.raw`root ::= "\q"`, /not an escape/],
  ])("refuses %s", (text, message) => {
    expect(() => parseGbnf(text)).toThrow(message);
  });
});
