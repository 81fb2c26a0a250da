/** Grammars of random schemas as answers are sampled with them: by this server's follower, and by llama.cpp with the built-in model's vocabulary. */
import { fileURLToPath } from "node:url";
import { getLlama, LlamaGrammar, LlamaLogLevel, type LlamaModel, type Token } from "node-llama-cpp";
import { isBeyondBound, stacksMax } from "../../../../src/engine/language/answer/grammar-bounds.js";
import { boundGrammarWork } from "../../../../src/engine/native/grammar-work.js";
import {
  acceptToken,
  grammarAllows,
  startGrammar,
} from "../../../../src/engine/llama/decode/grammar-state.js";
import { TooWide, CannotFollow } from "../../../../src/grammar/follow/expression.js";
import { GrammarStacks, type ReadyStacks, type Stack } from "../../../../src/grammar/follow/stacks.js";
import { SchemaRefusal } from "../../../../src/grammar/schema/refusal.js";
import type { Chance } from "../../figures/chance.js";
import { check } from "../../checks/violation.js";
import type { FuzzTarget } from "../target.js";
import { converted, schemaInput } from "./schemas.js";

const modelFile = fileURLToPath(
  new URL("../../../../models/hearth-tiny-5m/hearth-tiny-5m.gguf", import.meta.url),
);
const nativeFolder = fileURLToPath(new URL("../../../../dist/native", import.meta.url));

/** Walks through a grammar, and the characters of each. */
const walks = 2;
const charactersMax = 60;
/** CPU time of one token in llama.cpp: its bound and what a busy machine adds. */
const tokenMsMax = 2_000;

interface Vocabulary {
  readonly model: LlamaModel;
  /** Tokens that are one character of ASCII. */
  readonly tokens: ReadonlyMap<string, Token>;
}

let vocabulary: Promise<Vocabulary> | null = null;

export const target: FuzzTarget = {
  guarantee:
    "a grammar's stacks are bounded at every position, and llama.cpp allows the same within a bound of work",
  format: "json",
  bytesMax: 2048,
  msMax: 20_000,
  corpus: "schema",
  seeds: () => exploding.map((schema) => Buffer.from(JSON.stringify(schema))),
  async run(bytes) {
    const input = schemaInput(bytes);
    if (input === null) return "no JSON";
    const result = converted(input);
    if (result instanceof SchemaRefusal) return `refused ${result.keyword}`;
    const rules = readRules(result.grammar);
    const grammar = new GrammarStacks("root", (name) => rules.get(name), stacksMax);
    const outcomes = new Set<string>();
    for (let nth = 0; nth < walks; nth += 1) outcomes.add(await walk(result.grammar, grammar, input.chance));
    return [...outcomes].sort().join(", ");
  },
};

/** Follows a random text. @returns how it ended */
async function walk(text: string, grammar: GrammarStacks, chance: Chance): Promise<string> {
  const { model, tokens } = await (vocabulary ??= loadVocabulary());
  let stacks = attempt(() => grammar.atStart());
  if (typeof stacks === "string") return stacks;
  const state = startGrammar(model, new LlamaGrammar(model.llama, { grammar: text }));
  for (let length = 0; length < charactersMax; length += 1) {
    const known: ReadyStacks = stacks;
    check(known.length <= stacksMax, () => `${known.length} stacks`);
    const other = String.fromCharCode(chance.between(0x20, 0x7e));
    const next = nextCharacter(known, tokens, chance);
    for (const character of next === null ? [other] : [other, next]) {
      const token = tokens.get(character);
      const after = attempt(() => grammar.after(known, character.codePointAt(0) ?? 0));
      if (token === undefined || typeof after === "string") continue;
      const isAllowed = timed(() => grammarAllows(model, state, token));
      check(
        isAllowed === after.length > 0,
        () => `${JSON.stringify(character)}: ${String(isAllowed)}\n${text}`,
      );
    }
    const token = next === null ? undefined : tokens.get(next);
    if (next === null || token === undefined) return "ended";
    stacks = attempt(() => grammar.after(known, next.codePointAt(0) ?? 0));
    if (typeof stacks === "string") return stacks;
    try {
      timed(() => acceptToken(model, state, token));
    } catch (thrown) {
      if (isBeyondBound(thrown)) return "too slow";
      throw thrown;
    }
  }
  return "cut";
}

/** Returns a character that is allowed: mostly one that keeps the most ways open, as a text does in which a grammar explodes. */
function nextCharacter(
  stacks: ReadyStacks,
  tokens: ReadonlyMap<string, Token>,
  chance: Chance,
): string | null {
  const counts = new Map<string, number>();
  for (const stack of stacks) {
    const character = stack === null ? null : drawCharacter(stack.head, chance);
    if (character !== null && tokens.has(character)) counts.set(character, (counts.get(character) ?? 0) + 1);
  }
  counts.delete(" ");
  const characters = [...counts].sort(([, one], [, other]) => other - one).map(([character]) => character);
  if (characters.length === 0) return null;
  return characters[chance.happens(0.8) ? 0 : chance.between(0, characters.length - 1)] ?? null;
}

function drawCharacter(head: Stack["head"], chance: Chance): string | null {
  if (head.kind === "text") return String.fromCodePoint(head.points[0] ?? 0);
  if (head.kind !== "class") return null;
  if (head.negated) return "a";
  const [low = 0, high = low] = head.ranges;
  return String.fromCodePoint(chance.between(low, Math.min(high, low + 20)));
}

function attempt(stacksOf: () => ReadyStacks): ReadyStacks | "too wide" | "not followed" {
  try {
    return stacksOf();
  } catch (thrown) {
    if (thrown instanceof TooWide) return "too wide";
    if (thrown instanceof CannotFollow) return "not followed";
    throw thrown;
  }
}

/** @throws Violation when a call of llama.cpp takes too much CPU time */
function timed<T>(call: () => T): T {
  const before = process.cpuUsage();
  try {
    return call();
  } finally {
    const { user, system } = process.cpuUsage(before);
    check((user + system) / 1_000 < tokenMsMax, () => `a token takes ${(user + system) / 1_000} ms`);
  }
}

async function loadVocabulary(): Promise<Vocabulary> {
  boundGrammarWork(nativeFolder);
  const llama = await getLlama({
    gpu: false,
    build: "never",
    skipDownload: true,
    logLevel: LlamaLogLevel.disabled,
  });
  const model = await llama.loadModel({ modelPath: modelFile, vocabOnly: true });
  const tokens = new Map<string, Token>();
  for (let point = 0x20; point < 0x7f; point += 1) {
    const character = String.fromCharCode(point);
    const last = model.tokenize(`a${character}`, false).at(-1);
    if (last !== undefined && model.detokenize([last], true) === character) tokens.set(character, last);
  }
  return { model, tokens };
}

function readRules(grammar: string): ReadonlyMap<string, string> {
  return new Map(
    grammar
      .trimEnd()
      .split("\n")
      .map((line) => {
        const at = line.indexOf(" ::= ");
        return [line.slice(0, at), line.slice(at + 5)] as const;
      }),
  );
}

const member = { $ref: "#/$defs/e" };
const operators = ["+", "*", "-"];

/** Schemas whose alternatives differ only behind a recursive member. */
const exploding: readonly unknown[] = [
  {
    ...member,
    $defs: {
      e: {
        anyOf: [
          ...operators.map((op) => ({
            type: "object",
            properties: { left: member, op: { const: op }, right: member },
            required: ["left", "op", "right"],
            additionalProperties: false,
          })),
          { type: "integer" },
        ],
      },
    },
  },
  {
    ...member,
    $defs: {
      e: {
        anyOf: [
          ...operators.map((op) => ({
            type: "array",
            prefixItems: [member, { const: op }],
            items: false,
            minItems: 2,
          })),
          { type: "null" },
        ],
      },
    },
  },
  {
    ...member,
    $defs: {
      e: {
        oneOf: [
          { type: "array", items: member },
          { type: "array", items: member, minItems: 3 },
        ],
      },
    },
  },
];
