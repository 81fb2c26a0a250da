/**
 * One generation on a remote engine, as a sequence of segments: each is one streamed request under a fixed grammar, or none. Where the
 * grammar changes (reasoning ends, a call begins, the reasoning limit inserts its closing tokens), the request is ended, and the next
 * one continues with the prompt and all tokens so far, whose evaluation the engine has kept.
 */
import type { Token } from "node-llama-cpp";
import type { FinishReason, EngineEvent } from "../../core/generation.js";
import { CannotFollow } from "../../grammar/follow/expression.js";
import { remainingGrammar } from "../../grammar/follow/remaining.js";
import { GrammarStacks, type ReadyStacks } from "../../grammar/follow/stacks.js";
import type { RuleSet } from "../../grammar/gbnf.js";
import { AnswerProgress } from "../language/answer/answer-progress.js";
import type { ModelLanguage } from "../language/language.js";
import type { SeededJob } from "../language/seeded-job.js";
import { threadClock } from "../worker/thread-clock.js";
import { engineFailed } from "./errors.js";
import type {
  RemoteClient,
  RemoteReport,
  RemoteTarget,
  Segment,
  SegmentEnd,
  SegmentToken,
} from "./protocol.js";

/** Logit of a token that is sampled only where nothing else is allowed, as in the engine in this process. */
const suppression = -1_000;
/** Spreads the seeds of an answer's segments. */
const seedStep = 0x9e3779b9;
/** The server takes the highest number for no seed. */
const seedMax = 0xfffffffe;
/** Time for the last frame of a segment that has all of its tokens: with it, the connection can be used again. */
const lastFrameMsMax = 1_000;
/** Segments without a token, one after the other, after which a server is not asked again. */
const emptySegmentsMax = 16;

interface RemoteGenerationDeps {
  readonly language: ModelLanguage;
  readonly contextTokens: number;
  readonly client: RemoteClient;
  /** Takes events of the answer; none where the server goes on without one. */
  readonly emit: (events: readonly EngineEvent[]) => void;
}

/** Generates one answer. */
export class RemoteGeneration {
  readonly #deps: RemoteGenerationDeps;
  readonly #decode: SeededJob;
  readonly #target: RemoteTarget;
  readonly #progress: AnswerProgress<PlacedGrammar, PlacedGrammar>;
  #cachedTokens: number | null = null;
  /** Tokens that the next segment must not begin with, because the last one went on with one of them. */
  #banned: readonly Token[] = [];
  /** Whether the segment in progress has such tokens. */
  #isBiased = false;
  /** Tokens by which the next segment is longer, so that it ends with a whole character. */
  #extraTokens = 0;
  #emptySegments = 0;

  /** @throws HearthError `invalid_value` when the rules of the job are too large for one grammar. */
  constructor(deps: RemoteGenerationDeps, decode: SeededJob, target: RemoteTarget) {
    this.#deps = deps;
    this.#decode = decode;
    this.#target = target;
    const { language, contextTokens } = deps;
    const { tools, reasoning } = language;
    const grammars = { tools, reasoning, startGrammar };
    this.#progress = new AnswerProgress({ language, grammars, contextTokens }, decode);
  }

  /** Runs to the end. An aborted generation ends without `generation-end`. @throws HearthError */
  async run(signal: AbortSignal): Promise<RemoteReport> {
    let reason: FinishReason | null = null;
    while (reason === null && !signal.aborted) reason = await this.#runSegment(signal);
    this.#progress.finish(signal.aborted ? null : reason);
    this.#emit();
    return { answer: Uint32Array.from(this.#progress.sampled), cachedTokens: this.#cachedTokens ?? 0 };
  }

  /** @returns why the answer ends; null when it goes on */
  async #runSegment(signal: AbortSignal): Promise<FinishReason | null> {
    const before = this.#progress.sampled.length;
    const segment = this.#nextSegment();
    this.#isBiased = this.#banned.length > 0;
    this.#banned = [];
    const leaving = new AbortController();
    let stopTimer = (): void => undefined;
    let ended: SegmentEnd = "cut";
    let reason: FinishReason | null = null;
    try {
      const either = AbortSignal.any([signal, leaving.signal]);
      for await (const event of this.#deps.client.stream(segment, either)) {
        if (event.type === "started") this.#start(event.cachedTokens);
        else if (event.type === "progress") this.#deps.emit([]);
        else if (event.type === "end") ended = event.reason;
        // A server that goes on does not keep the limit.
        else if (reason !== null) return reason;
        else {
          const step = this.#take(event.tokens, before + segment.tokensMax);
          this.#deps.emit(this.#progress.takeEvents());
          if (step === "restart") return null;
          if (step === "go on") continue;
          reason = step;
          // Where the server has ended, too, its last frame is read, so that the connection can be used again.
          const isWhole = this.#progress.sampled.length - before >= segment.tokensMax;
          if (!isWhole && reason !== "stop") return reason;
          stopTimer = threadClock.after(lastFrameMsMax, () => leaving.abort());
        }
      }
    } catch (thrown) {
      if (signal.aborted) return null;
      if (reason !== null) return reason;
      throw thrown;
    } finally {
      stopTimer();
    }
    if (reason !== null) return reason;
    const took = this.#progress.sampled.length - before;
    this.#extraTokens = ended === "split" && took === 0 ? this.#extraTokens + 1 : 0;
    this.#emptySegments = took > 0 ? 0 : this.#emptySegments + 1;
    if (this.#emptySegments > emptySegmentsMax) return "stop";
    return ended === "stop" ? this.#end() : null;
  }

  /** Ends the answer as the server has, which did not send the token that ends it. */
  #end(): FinishReason | null {
    const [token] = this.#deps.language.endTokens();
    if (token === undefined) return "stop";
    const reason = this.#progress.take({ token, candidates: null });
    this.#progress.takeReplacement();
    return reason;
  }

  #start(cachedTokens: number): void {
    if (this.#cachedTokens !== null) return;
    const promptTokens = this.#decode.prompt.tokens.length;
    this.#cachedTokens = Math.min(cachedTokens, promptTokens);
    this.#progress.emit({ type: "generation-start", promptTokens, cachedTokens: this.#cachedTokens });
  }

  /** @param sampledMax tokens of the answer after its segment. @returns `restart` where the next token needs another request. */
  #take(tokens: readonly SegmentToken[], sampledMax: number): FinishReason | "go on" | "restart" {
    const progress = this.#progress;
    for (const { id, candidates } of tokens) {
      // A server that goes on does not keep the limit of the segment.
      if (progress.sampled.length >= sampledMax) return "restart";
      this.#refuseUnknown([id, ...(candidates ?? []).map((candidate) => candidate.token)]);
      const token = id as Token;
      const suppressed = progress.maySuppress ? progress.suppressed() : [];
      if (suppressed.includes(token) && this.#mayRestart()) {
        this.#banned = suppressed;
        return "restart";
      }
      const state = progress.constraint?.state;
      const reason = progress.take({ token, candidates });
      progress.processSampled();
      if (reason !== null) return reason;
      const isReplaced = progress.takeReplacement() !== null;
      if (isReplaced || progress.constraint?.state !== state) return "restart";
    }
    return "go on";
  }

  /** @throws HearthError for an id that no token of the model has */
  #refuseUnknown(ids: readonly number[]): void {
    const { vocabularyTokens } = this.#deps.language;
    const unknown = ids.find((id) => id < 0 || id >= vocabularyTokens);
    if (unknown !== undefined)
      throw engineFailed(this.#target.url, `its token ${unknown} is not in the vocabulary of the model`);
  }

  /** Whether the tokens so far end with a whole character, and the grammar can be continued after them. */
  #mayRestart(): boolean {
    const state = this.#progress.constraint?.state;
    return !this.#isBiased && (state === undefined || (state.isFollowed && !this.#isInsideCharacter()));
  }

  #isInsideCharacter(): boolean {
    const tail = this.#progress.sampled
      .slice(-4)
      .flatMap((token) => [...this.#deps.language.tokenBytes.of(token)]);
    const lead = tail.findLastIndex((byte) => (byte & 0xc0) !== 0x80);
    const first = tail[lead] ?? 0;
    const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
    return tail.length - lead < length;
  }

  #nextSegment(): Segment {
    const { prompt, sampling, topLogprobs, seed, maxTokens, maxTokensExcludesReasoning } = this.#decode;
    const { contextTokens, client, language } = this.#deps;
    const { sampled, constraint } = this.#progress;
    const answerTokens = sampled.length;
    const left = contextTokens - prompt.tokens.length - answerTokens;
    const wanted = maxTokens === null || maxTokensExcludesReasoning ? left : maxTokens - answerTokens;
    const isBiased = this.#banned.length > 0;
    const wantedHere = Math.min(left, Math.max(1, wanted), this.#progress.tokensBeforeEnd || Infinity);
    const usual = Math.min(wantedHere, isBiased ? 1 : client.segmentTokensMax(sampling));
    const isFirst = this.#cachedTokens === null;
    return {
      // What it has evaluated itself, it may continue on in any case.
      target: isFirst ? this.#target : { ...this.#target, reusesPrefixes: true },
      tokens: [...prompt.tokens, ...sampled],
      answerTokens,
      grammar: constraint?.state?.textAfter(this.#progress.undecided) ?? null,
      sampling,
      stated: this.#decode.statedSampling ?? sampling,
      seed: Math.min((seed + answerTokens * seedStep) >>> 0, seedMax),
      logitBias: this.#biases(),
      topLogprobs,
      tokensMax: usual + this.#extraTokens,
      endTokens: language.endTokens(),
    };
  }

  #biases(): ReadonlyMap<number, number> {
    const biases = new Map<number, number>();
    for (const [token, logit] of Object.entries(this.#decode.sampling.logitBias))
      biases.set(Number(token), logit);
    const isFree = this.#progress.constraint?.state === undefined;
    const suppressed = isFree && this.#progress.maySuppress ? this.#progress.suppressed() : [];
    const ends = this.#progress.tokensBeforeEnd > 0 ? this.#deps.language.endTokens() : [];
    for (const token of [...suppressed, ...ends, ...this.#banned]) biases.set(token, suppression);
    return biases;
  }

  #emit(): void {
    const events = this.#progress.takeEvents();
    if (events.length > 0) this.#deps.emit(events);
  }
}

function startGrammar(book: RuleSet, root: string, written: string) {
  const state = new PlacedGrammar(book, root);
  state.push(written);
  return { state, follower: state };
}

/** A grammar and how far an answer has come in it, so that a request can go on from there. */
class PlacedGrammar {
  readonly #book: RuleSet;
  readonly #root: string;
  readonly #stacks: GrammarStacks;
  /** null where the grammar is too wide to be followed, or does not allow the text. */
  #place: ReadyStacks | null | undefined;

  /** @param root the name of a rule */
  constructor(book: RuleSet, root: string) {
    this.#book = book;
    this.#root = root;
    this.#stacks = new GrammarStacks(root, (name) => book.rightSide(name));
  }

  /** Reads what the answer has next. */
  push(text: string): void {
    this.#place = this.#placeAfter(text);
  }

  /** Whether the answer can be continued under it. */
  get isFollowed(): boolean {
    return this.#place !== null;
  }

  /** Returns the GBNF of what may follow, after text that was not pushed. @throws Error where the grammar is not followed */
  textAfter(text: string): string {
    const place = this.#placeAfter(text);
    if (place === undefined) return this.#book.text(this.#root);
    if (place === null) throw new Error("the answer does not match its grammar, or it is too wide");
    return remainingGrammar(place, this.#book.entries(this.#root));
  }

  #placeAfter(text: string): ReadyStacks | null | undefined {
    let after = this.#place;
    for (const character of text) {
      const [point, place] = [character.codePointAt(0) ?? 0, after];
      after = this.#attempt(() => {
        const from = place === undefined ? this.#stacks.atStart() : place;
        return from === null ? null : this.#stacks.after(from, point);
      });
    }
    return after;
  }

  #attempt(findPlace: () => ReadyStacks | null): ReadyStacks | null {
    try {
      const place = findPlace();
      return place === null || place.length === 0 ? null : place;
    } catch (thrown) {
      if (thrown instanceof CannotFollow) return null;
      throw thrown;
    }
  }
}
