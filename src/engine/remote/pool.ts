/** The servers of one remote engine, and which of them takes a generation. */
import { createHash } from "node:crypto";
import { hostname } from "node:os";
import type { Clock } from "../../core/clock.js";
import type { DecodeJob } from "../../core/engine.js";
import { HearthError } from "../../core/errors.js";
import type { Model } from "../../core/model.js";
import type { Server } from "./http.js";
import type { RemoteKind, RemoteTarget } from "./protocol.js";
import { RecentPrompts } from "./recent-prompts.js";
import { Replica } from "./replica.js";
import { inOrderOfChoice } from "./ring.js";

/** A remote engine as the settings describe it. */
export interface RemoteEngineSettings {
  /** Its identity among the engines of this server. */
  readonly id: string;
  readonly kind: RemoteKind;
  /** At least one; all run the same model. */
  readonly urls: readonly string[];
  /** What the engine calls its models. */
  readonly modelNames: readonly string[];
  readonly apiKey: string | null;
  /** Generations at a time, over all servers; null: as many as they say they run. */
  readonly maxConcurrency: number | null;
  readonly prefixCache: "team" | "off";
}

/** Where a server does not say how many requests it runs. */
const concurrencyOtherwise = 64;
/** Tokens that decide where a conversation goes: its beginning, which its next requests have, too. */
const firstBlockTokens = 64;

interface PoolDeps {
  readonly settings: RemoteEngineSettings;
  readonly modelName: string;
  readonly clock: Clock;
  readonly log: (level: "warn" | "error", message: string) => void;
}

/** A place for a generation on one of the servers. */
interface PoolPlace {
  readonly replica: Replica;
  readonly target: RemoteTarget;
  /**
   * Ends it.
   * @param held tokens that the server holds now; null: unknown. @param cachedTokens prompt tokens that it had evaluated before
   */
  leave(held: Uint32Array | null, cachedTokens: number): void;
}

/** A place for a request on one of the servers. */
export interface ServerPlace {
  readonly replica: Replica;
  readonly server: Server;
  readonly modelName: string;
  leave(): void;
}

export class RemotePool {
  readonly settings: RemoteEngineSettings;
  readonly #deps: PoolDeps;
  readonly #sharedAs: string;
  readonly #replicas: readonly Replica[];
  readonly #recent = new RecentPrompts<Replica>();

  constructor(deps: PoolDeps) {
    const { settings, modelName, clock, log } = deps;
    const { kind, urls, apiKey } = settings;
    this.settings = settings;
    this.#deps = deps;
    this.#sharedAs = nameShared(urls);
    this.#replicas = urls.map((url) => new Replica({ kind, server: { url, apiKey }, modelName, clock, log }));
  }

  /** Generations at a time. */
  get slots(): number {
    const { maxConcurrency } = this.settings;
    const most = this.#ready.reduce(
      (sum, { properties }) => sum + (properties?.slots ?? concurrencyOtherwise),
      0,
    );
    return Math.max(1, Math.min(most, maxConcurrency ?? most));
  }

  /** Names the slots of a model among all that use them. */
  sharedAs({ manifest }: Model): string {
    return `${this.#sharedAs} ${manifest.id}`;
  }

  /** Tokens of prompt and answer together that all its servers hold; null: none says. */
  get contextTokens(): number | null {
    const known = this.#replicas.flatMap(({ properties }) => properties?.contextTokens ?? []);
    return known.length === 0 ? null : Math.min(...known);
  }

  /** Its kind and state, in a few words without addresses. */
  get summary(): string {
    const [ready, all] = [this.#ready.length, this.#replicas.length];
    const state = ready === all ? "ready" : ready > 0 ? `${ready} of ${all} ready` : "does not answer";
    return `${this.settings.kind} (${state})`;
  }

  /** Why it does not answer at present, in one public clause without addresses; null when it does, or was not asked yet. */
  get problem(): string | null {
    const mayAnswer = this.#replicas.some(({ state }) => state === "unchecked" || state === "ready");
    if (mayAnswer) return null;
    const isStarting = this.#replicas.some(({ state }) => state === "starting");
    return `its engine, ${this.settings.kind}, ${isStarting ? "is loading it" : "does not answer"}`;
  }

  get #ready(): readonly Replica[] {
    return this.#replicas.filter(({ isUsable }) => isUsable);
  }

  /** Starts to check its servers. */
  start(): void {
    for (const replica of this.#replicas) void replica.check();
  }

  /** Returns when a server is ready. @throws HearthError `model_unavailable` with the state of each server. */
  async ready(): Promise<void> {
    if (this.#ready.length > 0) return;
    await this.#untilOneIsReady(this.#replicas.map((replica) => replica.check()));
  }

  /** Sets what the sample text must be cut into. @throws HearthError where no server does so. */
  async expect(tokens: readonly number[]): Promise<void> {
    const checks = this.#replicas.map((replica) => replica.expect(tokens));
    if (this.#ready.length === 0) await this.#untilOneIsReady(checks);
  }

  /** Waits for the checks until a server is ready, and not for the others. @throws HearthError where none is. */
  async #untilOneIsReady(checks: readonly Promise<void>[]): Promise<void> {
    let left = checks.length;
    await new Promise<void>((resolve) => {
      for (const check of checks)
        void check.finally(() => {
          left -= 1;
          if (left === 0 || this.#ready.length > 0) resolve();
        });
    });
    if (this.#ready.length === 0) throw this.#unavailable();
  }

  /**
   * Takes a place for a generation.
   * @param tried servers that have failed it. @throws HearthError `model_unavailable` where no server can take it.
   */
  enter(job: DecodeJob, tried: ReadonlySet<Replica>): PoolPlace {
    const ready = this.#ready.filter((replica) => !tried.has(replica));
    const { teamId, prompt, cacheKey } = job;
    const known = cacheKey === undefined ? this.#recent.find(teamId, prompt.tokens) : null;
    for (const replica of inOrderOfChoice(createKey(job), ready, known)) {
      const place = this.#placeOn(replica, job);
      if (place === null) continue;
      if (cacheKey === undefined) this.#recent.remember(teamId, prompt.tokens, replica);
      return place;
    }
    throw this.#unavailable();
  }

  /**
   * Takes a place for a request that chooses no slot and shares no tokens.
   * @param key what decides where it goes; absent: the server with the least load. @param tried servers that have failed it. @throws HearthError `model_unavailable` where no server can take it.
   */
  enterServer(tried: ReadonlySet<Replica>, key?: string): ServerPlace {
    const ready = this.#ready.filter((replica) => !tried.has(replica));
    const ordered =
      key === undefined ? ready.toSorted((a, b) => a.load - b.load) : inOrderOfChoice(key, ready);
    const [replica] = ordered;
    if (replica === undefined) throw this.#unavailable();
    const { modelName } = this.#deps;
    return { replica, server: replica.server, modelName, leave: replica.enter() };
  }

  close(): void {
    for (const replica of this.#replicas) replica.close();
  }

  #placeOn(replica: Replica, job: DecodeJob): PoolPlace | null {
    const { settings, modelName, log } = this.#deps;
    const { kind, prefixCache } = settings;
    const { prompt, teamId, deterministic, callIdPrefix } = job;
    const mayReuse = prefixCache === "team" && !deterministic && !replica.isShared;
    if (kind === "openai") throw new Error("such a server takes no tokens");
    const hasSlots = kind === "llama-server";
    const entered = hasSlots ? replica.slots.enter(teamId, prompt.tokens, mayReuse) : null;
    if (hasSlots && entered === null) return null;
    const leaveReplica = replica.enter();
    const target: RemoteTarget = {
      ...replica.server,
      kind,
      modelName,
      slot: entered?.slot ?? null,
      reusesPrefixes: entered?.reusesPrefixes ?? mayReuse,
      salt: mayReuse ? teamId : callIdPrefix,
    };
    return {
      replica,
      target,
      leave(held, cachedTokens) {
        leaveReplica();
        entered?.leave(held);
        if (entered === null || cachedTokens <= entered.sharedTokens + unseenTokensMax) return;
        if (!replica.isShared)
          log(
            "warn",
            `the engine at ${replica.url} has continued on a prompt that this server did not send to that slot: other clients use it, so that no prompt is continued there any more`,
          );
        replica.isShared = true;
      },
    };
  }

  #unavailable(): HearthError {
    const states = this.#replicas.map(({ description }) => description).join("; ");
    const isBusy = this.#ready.length > 0;
    const message = `The engine of this model ${isBusy ? "has no free place" : "does not answer"} at present.`;
    const details = { param: "model", retryAfterSeconds: 5, cause: new Error(states) };
    return new HearthError(isBusy ? "overloaded" : "model_unavailable", message, details);
  }
}

/** A slot goes on for some tokens until it notices that a request has ended. */
const unseenTokensMax = 16;

/** Returns what decides where a conversation goes. */
function createKey({ teamId, cacheKey, prompt }: DecodeJob): string {
  return `${teamId} ${cacheKey ?? prompt.tokens.subarray(0, firstBlockTokens).join()}`;
}

/** Names the same servers on every Hearth that sends them requests, and no others. An address of this machine alone is another one elsewhere. */
function nameShared(urls: readonly string[]): string {
  const named = urls.map((url) => (isOfThisMachine(url) ? `${hostname()} ${url}` : url)).toSorted();
  return createHash("sha256").update(JSON.stringify(named)).digest("base64url");
}

function isOfThisMachine(url: string): boolean {
  return /^(localhost|.*\.localhost|127\.[\d.]+|\[::1\])$/.test(new URL(url).hostname);
}
