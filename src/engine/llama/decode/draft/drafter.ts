/**
 * Drafts how an answer goes on, so that several tokens are evaluated at once. There are two kinds of drafts:
 *
 * - text that the grammar forces, in the tokens that the model is likely to choose for it;
 * - what followed the last tokens where they occurred before, in the prompt or in the answer.
 *
 * The sampler verifies every token (sampler.ts), so that a draft changes no answer; a wrong one costs time. Drafts are short, and pause,
 * while they do not pay.
 */
import { countPromptTokens, placeholderMin } from "../../../../core/prompt/media.js";
import type { Token } from "node-llama-cpp";
import type { GrammarFollower } from "../../../../grammar/follow/follower.js";
import type { Resident } from "../../load/resident.js";
import type { SeededJob } from "../../../language/seeded-job.js";
import type { DraftCost } from "./cost.js";
import type { Segmentation } from "./segmentation.js";

/** Characters that are looked ahead for one draft. */
const charactersMax = 120;

export interface DraftLimits {
  /** The number of tokens that a draft may have; 0 drops it. */
  readonly tokensMax: number;
  /**
   * Whether nothing else shares the batch, neither an answer nor a prompt. Where others do, a token that is looked up costs more than it
   * saves (measured).
   */
  readonly isAlone: boolean;
}

/** What the drafts of a model's answers have shown so far. */
export interface DraftKnowledge {
  readonly cost: DraftCost;
  readonly segmentation: Segmentation;
}

/** Drafts of one answer. */
export class Drafter {
  readonly #segmentation: Segmentation;
  readonly #teamId: string;
  /** Tokens that the answer may have. */
  readonly #tokensMax: number;
  readonly #kinds: Resident["drafts"];
  readonly #forcedLength: DraftLength;
  readonly #lookupLength: DraftLength;
  readonly #lookup: TokenLookup;
  /** Sampled tokens that can be looked up. */
  #known = 0;
  /** The kind of the last draft. */
  #last: DraftLength;
  /** The text that was forced after this number of tokens. */
  #forced = "";
  #forcedAt = 0;

  constructor(resident: Resident, { cost, segmentation }: DraftKnowledge, decode: SeededJob) {
    const { deterministic, teamId, prompt, maxTokens, maxTokensExcludesReasoning } = decode;
    const left = resident.contextTokens - countPromptTokens(prompt);
    this.#tokensMax = maxTokensExcludesReasoning ? left : Math.min(left, maxTokens ?? left);
    this.#segmentation = segmentation;
    this.#teamId = teamId;
    // A batch of several tokens rounds otherwise than single ones.
    this.#kinds = deterministic ? { forced: false, lookup: false } : resident.drafts;
    this.#forcedLength = new DraftLength(cost);
    this.#lookupLength = new DraftLength(cost);
    this.#last = this.#forcedLength;
    this.#lookup = new TokenLookup(this.#kinds.lookup ? textAtEnd(prompt.tokens) : new Uint32Array());
  }

  /**
   * Returns how the answer is likely to go on.
   * @param follower follows the answer through its grammar; null where it has none
   * @param sampled the tokens of the answer so far
   * @param limits what it may have
   */
  draft(
    follower: GrammarFollower | null,
    sampled: readonly Token[],
    { tokensMax: most, isAlone }: DraftLimits,
  ): readonly Token[] {
    const tokensMax = Math.min(most, this.#tokensMax - sampled.length - 1);
    if (tokensMax < 1) return [];
    const forced = this.#kinds.forced && follower !== null ? this.#draftForced(follower, sampled) : null;
    const draft = forced ?? (this.#kinds.lookup && isAlone ? this.#draftKnown(sampled) : []);
    return draft.slice(0, tokensMax);
  }

  /** Records how many tokens of a draft were sampled. */
  record(drafted: number, sampled: number): void {
    if (drafted > 0) this.#last.record(drafted, sampled);
  }

  /** Returns null where nothing is forced. */
  #draftForced(follower: GrammarFollower, sampled: readonly Token[]): readonly Token[] | null {
    this.#segmentation.learn(this.#teamId, this.#forced, sampled.slice(this.#forcedAt));
    this.#forced = follower.likely(charactersMax);
    this.#forcedAt = sampled.length;
    if (this.#forced === "") return null;
    this.#last = this.#forcedLength;
    return this.#segmentation.predictTokens(this.#teamId, this.#forced, this.#forcedLength.next());
  }

  #draftKnown(sampled: readonly Token[]): readonly Token[] {
    for (const token of sampled.slice(this.#known)) this.#lookup.push(token);
    this.#known = sampled.length;
    this.#last = this.#lookupLength;
    const found = this.#lookup.find(this.#lookupLength.longest);
    if (found.length === 0) return [];
    return found.slice(0, this.#lookupLength.next());
  }
}

/** What a tick asks of the generations that it drafts for. */
interface Drafting {
  /** Drafts what comes next. @returns how many tokens it has */
  draft(limits: DraftLimits): number;
}

/**
 * Drafts for all generations of a tick, at most `tokensMax` tokens together. Where some have a draft and others none, llama.cpp computes the
 * batch in two parts, which delays the others: that pays only if the drafts have as many tokens as there are generations.
 * @returns how many tokens were drafted
 */
export function draftAll(generations: readonly Drafting[], { tokensMax, isAlone }: DraftLimits): number {
  let drafted = 0;
  for (const generation of generations)
    drafted += generation.draft({ tokensMax: tokensMax - drafted, isAlone });
  if (drafted === 0 || drafted >= generations.length) return drafted;
  for (const generation of generations) generation.draft({ tokensMax: 0, isAlone });
  return 0;
}

/** On a CPU a batch of 16 tokens takes about four times as long as one token (measured). */
const lengthMax = 16;
const lengthAtFirst = 4;
/** Evaluations that drafts may have saved up, or have lost before they pause. */
const balance = { max: 4, min: -1.5 } as const;
/** Drafts that are skipped in a pause, at first and at most. */
const pause = { first: 4, max: 64 } as const;

/** Decides how long the next draft of an answer may be, by how the drafts before it went. */
class DraftLength {
  readonly #cost: DraftCost;
  #length = lengthAtFirst;
  /** Evaluations saved, less those that drafts cost. */
  #balance = 0;
  #skip = 0;
  #nextPause: number = pause.first;

  constructor(cost: DraftCost) {
    this.#cost = cost;
  }

  /** The most tokens that the next draft may have, without a pause. */
  get longest(): number {
    return this.#length;
  }

  /** Returns how many tokens the next draft may have. */
  next(): number {
    if (this.#skip === 0) return this.#length;
    this.#skip -= 1;
    return 0;
  }

  /** Records how many tokens of a draft were sampled. */
  record(drafted: number, sampled: number): void {
    if (sampled === drafted) {
      if (drafted >= this.#length) this.#length = Math.min(lengthMax, this.#length * 2);
      this.#nextPause = pause.first;
    } else this.#length = Math.max(1, sampled + 1);
    this.#balance = Math.min(balance.max, this.#balance + sampled - drafted * this.#cost.perToken);
    if (this.#balance > balance.min) return;
    this.#balance = 0;
    this.#skip = this.#nextPause;
    this.#nextPause = Math.min(pause.max, this.#nextPause * 2);
  }
}

/** Tokens that must match: fewer match by chance too often. */
const matchTokens = 3;
/** Tokens at the end of the prompt that are searched. */
const promptTokensMax = 8_192;

/**
 * Looks up how a text went on where its last tokens occurred before, in the prompt or in the answer itself: an answer that edits
 * its prompt, or extracts from it, repeats parts of it.
 */
class TokenLookup {
  readonly #tokens: Token[];
  /** Where the text went on most recently, by the tokens before. */
  readonly #next = new Map<number, number>();
  /** How many positions are in `#next`. */
  #indexed = matchTokens;

  constructor(prompt: Uint32Array) {
    this.#tokens = Array.from(prompt.subarray(Math.max(0, prompt.length - promptTokensMax))) as Token[];
  }

  /** Adds the next token of the text. */
  push(token: Token): void {
    this.#tokens.push(token);
  }

  /** Returns how the text is likely to go on; nothing where its last tokens did not occur before. */
  find(tokensMax: number): readonly Token[] {
    const tokens = this.#tokens;
    const end = tokens.length;
    for (; this.#indexed < end; this.#indexed += 1)
      this.#next.set(this.#createKey(this.#indexed), this.#indexed);
    const found = end < matchTokens ? undefined : this.#next.get(this.#createKey(end));
    if (found === undefined) return [];
    for (let back = 1; back <= matchTokens; back += 1)
      if (tokens[found - back] !== tokens[end - back]) return [];
    const next = tokens.slice(found, found + tokensMax);
    // A text that repeats itself goes on as it began to.
    while (next.length < tokensMax) next.push(...next.slice(0, tokensMax - next.length));
    return next;
  }

  /** Returns a number for the tokens before a position; different tokens rarely have the same. */
  #createKey(end: number): number {
    let key = 0;
    for (let back = matchTokens; back > 0; back -= 1)
      key = (Math.imul(key, 0x9e37_79b1) + (this.#tokens[end - back] ?? 0)) | 0;
    return key;
  }
}

/** Returns the tokens after the last image or sound, whose placeholders cannot be drafted. */
function textAtEnd(tokens: Uint32Array): Uint32Array {
  return tokens.subarray(tokens.findLastIndex((token) => token >= placeholderMin) + 1);
}
