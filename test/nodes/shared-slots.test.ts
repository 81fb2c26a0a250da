/** What teams get of one engine that several servers send requests to, over HTTP and PostgreSQL. */
import { expect, it } from "vitest";
import type { ScriptedServer } from "../kit/server.js";
import { headersOf, hello, post } from "../kit/server/requests.js";
import { keys } from "../kit/server/six-keys.js";
import { gate, until } from "../kit/until.js";
import type { Script } from "../kit/scripted/engine.js";
import { startNodes } from "./nodes.js";

const slots = 4;
const teams = { a: "team-1", b: "team-2" } as const;
const keyOf = { a: keys.ada, b: keys.mallory } as const;

/** The engine of all servers: it holds each request until it is let go, and counts. */
class SharedEngine {
  readonly held: { readonly teamId: string; readonly end: () => void }[] = [];
  most = 0;

  readonly script: Script = (_prompt, { teamId }) => {
    const held = gate();
    this.held.push({ teamId, end: () => held.open() });
    this.most = Math.max(this.most, this.held.length);
    return ["Good ", held.opened, "day"];
  };

  /** Ends the request that it has had for longest. @returns its team */
  endOne(): string {
    const oldest = this.held.shift();
    oldest?.end();
    return oldest?.teamId ?? "";
  }
}

/** Keeps requests of a team at a server, until a request is refused. */
function keep(node: ScriptedServer, team: keyof typeof teams, requests: number): void {
  const repeat = async (): Promise<void> => {
    for (;;) {
      const response = await post(node, hello, { headers: headersOf(keyOf[team]) });
      await response.text();
      if (response.status !== 200) return;
    }
  };
  for (let each = 0; each < requests; each += 1) void repeat().catch(() => undefined);
}

/** Lets time pass at all servers until the condition holds. */
function passUntil(nodes: readonly ScriptedServer[], condition: () => boolean): Promise<void> {
  return until(() => {
    for (const { clock } of nodes) clock.advance(20);
    return condition();
  });
}

const load = (node: ScriptedServer | undefined): number =>
  (node?.scheduler.load.running ?? 0) + (node?.scheduler.load.waiting ?? 0);

it("a team that floods one server gets no more of the engine than one at another server, and both no more than its slots", async () => {
  const engine = new SharedEngine();
  const options = { slots, sharedAs: "engine", config: { queueDepthMax: 100 } };
  const nodes = await startNodes([engine.script, engine.script], options);
  const [one, two] = nodes;
  if (one === undefined || two === undefined) throw new Error("two servers were not started");
  const isFull = (): boolean => load(one) === 20 && load(two) === 30 && engine.held.length >= slots;
  const endOne = async (): Promise<string> => {
    const team = engine.endOne();
    await passUntil(nodes, isFull);
    return team;
  };
  keep(one, "a", 20);
  await passUntil(nodes, () => load(one) === 20 && engine.held.length === slots);
  keep(two, "b", 20);
  keep(two, "a", 10);
  await passUntil(nodes, isFull);
  // Until they know of each other, each has all slots; a run that has begun is not ended.
  for (let each = 0; each < 10 || engine.held.length > slots; each += 1) await endOne();
  engine.most = 0;
  const ended: string[] = [];
  for (let each = 0; each < 60; each += 1) ended.push(await endOne());
  expect(engine.most).toBe(slots);
  const ofB = ended.filter((team) => team === teams.b).length;
  expect(Math.abs(ofB - 30)).toBeLessThanOrEqual(3);
});

it("a server that ends gives its part of the engine to the others", async () => {
  const engine = new SharedEngine();
  const options = { slots, sharedAs: "engine", config: { queueDepthMax: 100 } };
  const nodes = await startNodes([engine.script, engine.script], options);
  const [one, two] = nodes;
  if (one === undefined || two === undefined) throw new Error("two servers were not started");
  keep(one, "a", 10);
  keep(two, "b", 10);
  await passUntil(nodes, () => load(one) === 10 && load(two) === 10);
  for (let each = 0; each < 12 || engine.held.length > slots; each += 1) {
    engine.endOne();
    await passUntil(nodes, () => load(one) === 10 && load(two) === 10 && engine.held.length >= slots);
  }
  expect(engine.held.map(({ teamId }) => teamId).toSorted()).toEqual([
    "team-1",
    "team-1",
    "team-2",
    "team-2",
  ]);
  await two.close();
  const left = engine.held.filter(({ teamId }) => teamId === teams.a);
  engine.held.splice(0, engine.held.length, ...left);
  await passUntil([one], () => engine.held.length === slots);
  expect(engine.held.every(({ teamId }) => teamId === teams.a)).toBe(true);
});
