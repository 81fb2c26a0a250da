/**
 * Drafts how an answer goes on, so that several tokens are evaluated at once. There are two kinds of drafts:
 *
 * - text that the grammar forces, in the tokens that the model is likely to choose for it;
 * - what followed the last tokens where they occurred before, in the prompt or in the answer.
 *
 * The sampler verifies every token (sampler.ts), so that a draft changes no answer; a wrong one costs time. Drafts are short, and pause,
 * while they do not pay.
 */
import type { Token } from "node-llama-cpp";
import type { GrammarFollower } from "../../../../grammar/follow/follower.js";
import type { Resident } from "../../load/resident.js";
import type { SeededJob } from "../../../language/seeded-job.js";
import type { DraftCost } from "./cost.js";
import { DraftLength } from "./length.js";
import { TokenLookup } from "./lookup.js";
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
    const left = resident.contextTokens - prompt.tokens.length;
    this.#tokensMax = maxTokensExcludesReasoning ? left : Math.min(left, maxTokens ?? left);
    this.#segmentation = segmentation;
    this.#teamId = teamId;
    // A batch of several tokens rounds otherwise than single ones.
    this.#kinds = deterministic ? { forced: false, lookup: false } : resident.drafts;
    this.#forcedLength = new DraftLength(cost);
    this.#lookupLength = new DraftLength(cost);
    this.#last = this.#forcedLength;
    this.#lookup = new TokenLookup(this.#kinds.lookup ? prompt.tokens : new Uint32Array());
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
export interface Drafting {
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
