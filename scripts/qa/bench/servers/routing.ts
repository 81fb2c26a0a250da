/**
 * Measures how often a conversation finds its beginning on the replica that Hearth's router (the pool of a remote engine, over scripted
 * servers of vLLM's protocol) chooses, and how evenly the replicas are loaded, beside choosing by chance and the least loaded one. The
 * requests and the time they take are simulated; the real code makes the choices.
 */
import { once } from "node:events";
import { createServer } from "node:http";
import type { Clock } from "../../../../src/core/clock.js";
import { freeRules, type DecodeJob } from "../../../../src/core/engine.js";
import { noTools } from "../../../../src/core/generation.js";
import { RemotePool } from "../../../../src/engine/remote/pool.js";
import { seeded } from "../../../../test/kit/models/gguf-writer/weights.js";
import { listen } from "../../world/http-server.js";
import type { SectionOptions } from "../options.js";
import { spread, toRow, type Row } from "../../figures/table.js";
import { blockTokens, planConversations, type Turn } from "./routing/conversations.js";
import { play, type Played, type Router } from "./routing/play.js";

const replicasCount = 8;
const conversationsCount = 3_000;
/** About 11 requests at a time on each replica. */
const conversationsPerSecond = 5;
/** Each with other conversations and another place of the replicas in the router's circle. */
const rounds = 3;
const modelName = "scripted";

/** The pool asks its servers once; time does not pass for it. */
const standingClock: Clock = { now: () => 0, monotonic: () => 0, after: () => () => undefined };

export async function routingSection(_options: SectionOptions): Promise<readonly Row[]> {
  const results = new Map<string, Played[]>();
  const ceilings: number[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    const conversations = planConversations(conversationsCount, conversationsPerSecond, round);
    const hearth = await startHearthRouter();
    for (const router of [hearth, leastLoaded, randomRouter(round)]) {
      const played = play(conversations, replicasCount, router);
      results.set(router.name, [...(results.get(router.name) ?? []), played]);
    }
    ceilings.push(100 * play(conversations, 1, onlyOne, replicasCount).hits);
    await hearth.close();
  }
  const ceiling = spread(ceilings, 1, "%");
  return [
    ...[...results].flatMap(([name, played]) => toRows(name, played)),
    toRow("one replica with the memory of all: tokens found", ceiling),
  ];
}

function toRows(name: string, played: readonly Played[]): readonly Row[] {
  const isHearth = name === hearthName;
  const percent = played.map(({ hits }) => 100 * hits);
  return [
    toRow(`${name}: prompt tokens found`, spread(percent, 1, "%"), isHearth ? "at least 75 %" : ""),
    toRow(
      `${name}: busiest replica / mean, of all time`,
      spread(
        played.map(({ imbalance }) => imbalance),
        2,
        "x",
      ),
      isHearth ? "at most 1.4 x" : "",
    ),
    toRow(
      `${name}: the same at a moment, on average`,
      spread(
        played.map(({ momentaryImbalance }) => momentaryImbalance),
        2,
        "x",
      ),
      isHearth ? "at most 1.4 x" : "",
    ),
    toRow(
      `${name}: requests at a time`,
      spread(
        played.map(({ concurrency }) => concurrency),
        0,
        "",
      ),
    ),
  ];
}

const hearthName = "Hearth's router";

/** Starts servers that say that they are ready, and a pool over them. */
async function startHearthRouter(): Promise<Router & { close(): Promise<void> }> {
  const server = createServer((request, response) => {
    const isList = request.url?.endsWith("/v1/models") === true;
    const isKnown = isList || request.url?.endsWith("/health") === true;
    response.writeHead(isKnown ? 200 : 404, { "content-type": "application/json" });
    response.end(isList ? JSON.stringify({ data: [{ id: modelName }] }) : "{}");
  });
  const url = await listen(server);
  const urls = Array.from({ length: replicasCount }, (_, at) => `${url}/replica-${at}`);
  const pool = new RemotePool({
    settings: {
      id: "vllm",
      kind: "vllm",
      urls,
      modelNames: [modelName],
      apiKey: null,
      maxConcurrency: null,
      prefixCache: "team",
    },
    modelName,
    clock: standingClock,
    log: (_, message) => process.stderr.write(`${message}\n`),
  });
  await pool.ready();
  return {
    name: hearthName,
    enter(turn) {
      const place = pool.enter(createJob(turn), new Set());
      return { index: urls.indexOf(place.target.url), leave: () => place.leave(null, 0) };
    },
    async close() {
      pool.close();
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function createJob({ team, blocks }: Turn): DecodeJob {
  const tokens = Uint32Array.from(
    { length: blocks.length * blockTokens },
    (_, at) => (blocks[Math.floor(at / blockTokens)] ?? 0) * blockTokens + (at % blockTokens),
  );
  return {
    prompt: { tokens, startsInReasoning: false },
    teamId: team,
    sampling: {
      temperature: 1,
      topP: 1,
      seed: null,
      frequencyPenalty: 0,
      presencePenalty: 0,
      topK: null,
      minP: 0,
      logitBias: {},
    },
    tools: [],
    toolChoice: noTools,
    rules: freeRules,
    callIdPrefix: "",
    reasoningTokensMax: null,
    topLogprobs: null,
    stop: [],
    maxTokens: null,
    maxTokensExcludesReasoning: false,
    deterministic: false,
  };
}

const onlyOne: Router = { name: "one", enter: () => ({ index: 0, leave: () => undefined }) };

const leastLoaded: Router = {
  name: "least loaded",
  enter(_, replicas) {
    const loads = replicas.map(({ running }) => running);
    return { index: loads.indexOf(Math.min(...loads)), leave: () => undefined };
  },
};

function randomRouter(seed: number): Router {
  const unit = seeded(seed);
  return {
    name: "by chance",
    enter: (_, replicas) => ({ index: Math.floor(unit() * replicas.length), leave: () => undefined }),
  };
}
