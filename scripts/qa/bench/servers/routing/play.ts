/** Plays conversations on replicas in simulated time: a turn begins when its person has read the last answer. */
import { Heap } from "../../../figures/heap.js";
import { blockTokens, type PlannedConversation, type Turn } from "./conversations.js";
import { ReplicaModel } from "./replica-model.js";

/** Chooses the replica of a request. */
export interface Router {
  readonly name: string;
  /** @returns the number of the replica, and what is called when the request has ended */
  enter(turn: Turn, replicas: readonly ReplicaModel[]): { readonly index: number; leave(): void };
}

export interface Played {
  /** Share of the tokens of prompts that their replica had evaluated before. */
  readonly hits: number;
  /** The load of the busiest replica divided by the mean: of all time together, and at the average moment. */
  readonly imbalance: number;
  readonly momentaryImbalance: number;
  /** Requests at a time, over all replicas, on average. */
  readonly concurrency: number;
}

interface Event {
  readonly atMs: number;
  readonly run: () => void;
}

/** @param memory of each replica, as a multiple of a usual one's */
export function play(
  conversations: readonly PlannedConversation[],
  replicasCount: number,
  router: Router,
  memory = 1,
): Played {
  const replicas = Array.from({ length: replicasCount }, () => new ReplicaModel(memory));
  const queue = new Heap<Event>((one, other) => one.atMs < other.atMs);
  const plan = (atMs: number, run: () => void): void => queue.add({ atMs, run });
  let [cached, all, samples, momentary, concurrency] = [0, 0, 0, 0, 0];
  const begin = (conversation: PlannedConversation, at: number, nowMs: number): void => {
    const turn = conversation.turns[at];
    if (turn === undefined) return;
    const place = router.enter(turn, replicas);
    const replica = replicas[place.index];
    if (replica === undefined) throw new Error("there is no such replica");
    const begun = replica.begin(turn);
    cached += begun.cached * blockTokens;
    all += turn.blocks.length * blockTokens;
    const loads = replicas.map(({ running }) => running);
    const sum = loads.reduce((total, load) => total + load, 0);
    samples += 1;
    momentary += Math.max(...loads) / (sum / replicasCount);
    concurrency += sum;
    const endMs = nowMs + begun.ms;
    plan(endMs, () => {
      place.leave();
      replica.running -= 1;
      const nextMs = endMs + (conversation.thinkMs[at] ?? 0);
      plan(nextMs, () => begin(conversation, at + 1, nextMs));
    });
  };
  for (const conversation of conversations)
    plan(conversation.startsAtMs, () => begin(conversation, 0, conversation.startsAtMs));
  for (let next = queue.take(); next !== undefined; next = queue.take()) next.run();
  const busy = replicas.map(({ busyMs }) => busyMs);
  const mean = busy.reduce((sum, ms) => sum + ms, 0) / replicasCount;
  return {
    hits: cached / all,
    imbalance: Math.max(...busy) / mean,
    momentaryImbalance: momentary / samples,
    concurrency: concurrency / samples,
  };
}
