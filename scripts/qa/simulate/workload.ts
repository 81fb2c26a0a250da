/** What the clients of a simulation want, and when: quiet hours, ordinary work, floods of several teams and bursts at a limit. */
import type { Chance } from "../figures/chance.js";
import type { AcceptedBatches } from "../checks/batches.js";
import { BatchClients, type BatchClientsDeps } from "./batch-clients.js";
import type { Clients, RequestKind, WantedRequest } from "./clients.js";
import type { SimulatedTime } from "./time.js";
import { limits, simulatedTeams, type SimulatedTeam } from "./world.js";

export interface WorkloadDeps {
  readonly time: SimulatedTime;
  readonly chance: Chance;
  readonly clients: Clients;
  /** Where batches that were accepted are followed. */
  readonly accepted: AcceptedBatches;
  /** Lets the machine sleep for more than a day. */
  readonly sleep: () => void;
  /** How fast the engine is: all its generations advance together, so a phase has one speed. */
  readonly pace: { stepMs: number };
  /** Called when work begins, the time at which faults hit most. */
  readonly busy: () => void;
}

const minuteMs = 60_000;
const kinds: readonly RequestKind[] = [
  "chat",
  "chat",
  "stream",
  "stream",
  "choices",
  "deferred",
  "deferred",
  "background",
  "background",
];

/** Plans phases of work, one after the other, until `endsAt`. */
export function startWorkload(deps: WorkloadDeps, endsAt: () => number): void {
  const { time, chance, busy, accepted, clients } = deps;
  const ask: BatchClientsDeps["ask"] = (...request) => clients.ask(...request);
  const batches = new BatchClients({ time, chance: chance.fork(), batches: accepted, ask });
  const next = (): void => {
    if (time.elapsed >= endsAt()) return;
    const phase = chance.pick([
      quiet,
      quiet,
      quiet,
      quiet,
      ordinary,
      ordinary,
      ordinary,
      flood,
      burst,
      long,
      batched,
    ]);
    if (phase !== quiet) busy();
    deps.pace.stepMs = chance.pick([5, 40, 200, 1500]);
    time.after(phase({ ...deps, batches }), next);
  };
  next();
}

/** Each phase plans its requests. @returns its length in milliseconds. */
type Phase = (deps: PhaseDeps) => number;

interface PhaseDeps extends WorkloadDeps {
  readonly batches: BatchClients;
}

const quiet: Phase = ({ chance }) => chance.between(20, 90) * minuteMs;

const ordinary: Phase = (deps) => {
  const { chance } = deps;
  const lengthMs = chance.between(3, 10) * minuteMs;
  for (let count = chance.between(4, 16); count > 0; count -= 1)
    later(deps, chance.between(0, lengthMs), () =>
      wanted(deps, chance.pick(simulatedTeams), chance.pick(kinds)),
    );
  return lengthMs;
};

/** A team nearly fills the queue at once, and another one comes a little later with many requests, too. */
const flood: Phase = (deps) => {
  const { chance, pace } = deps;
  const [first, second] = [...simulatedTeams].sort(() => (chance.happens(0.5) ? 1 : -1));
  const send = (team: SimulatedTeam | undefined, count: number, fromMs: number): void => {
    for (let sent = 0; team !== undefined && sent < count; sent += 1)
      later(deps, fromMs + chance.between(0, 100), () => ({
        ...wanted(deps, team, chance.pick(["chat", "stream"])),
        key: findKey(team, 0),
        plan: { tokens: chance.between(16, 24), stepMs: pace.stepMs, failsAt: -1 },
        leavesAfterMs: chance.happens(0.05) ? chance.between(0, 8000) : null,
      }));
  };
  send(first, 44, 0);
  send(second, chance.pick([6, 24]), 200);
  return chance.between(2, 6) * minuteMs;
};

/** A team with one long answer floods the queue after another team was served many short ones meanwhile. */
const long: Phase = (deps) => {
  const { chance } = deps;
  const [one, other] = [...simulatedTeams].sort(() => (chance.happens(0.5) ? 1 : -1));
  if (one === undefined || other === undefined) return 0;
  const answer = (team: SimulatedTeam, tokens: number): WantedRequest => ({
    ...wanted(deps, team, "chat"),
    key: findKey(team, 0),
    plan: { tokens, stepMs: deps.pace.stepMs, failsAt: -1 },
    leavesAfterMs: null,
  });
  const midwayMs = 30 * deps.pace.stepMs;
  later(deps, 0, () => answer(one, limits.longAnswerTokens));
  for (let count = 0; count < 24; count += 1) later(deps, count, () => answer(other, 1));
  for (let count = 0; count < 12; count += 1) {
    later(deps, midwayMs + count, () => answer(other, 20));
    later(deps, midwayMs + count, () => answer(one, 20));
  }
  return chance.between(4, 6) * minuteMs;
};

/** More requests at once than the limits of a key or team allow. */
const burst: Phase = (deps) => {
  const { chance } = deps;
  const team = chance.pick(simulatedTeams);
  for (let count = chance.between(6, 30); count > 0; count -= 1)
    later(deps, chance.between(0, chance.pick([900, 40_000])), () => ({
      ...wanted(deps, team, chance.pick(["chat", "background"])),
      key: findKey(team, 1),
      plan: { tokens: 1, stepMs: 10, failsAt: -1 },
    }));
  return chance.between(1, 4) * minuteMs;
};

/** Teams create batches while they send other requests, and now and then the machine sleeps until the batches have expired. */
const batched: Phase = (deps) => {
  const { chance, time, batches, pace } = deps;
  for (let count = chance.between(1, 4); count > 0; count -= 1) {
    const team = chance.pick(simulatedTeams);
    time.after(chance.between(0, 20_000), () => batches.create(team, pace.stepMs));
  }
  if (chance.happens(0.3)) time.after(chance.between(4000, 30_000), deps.sleep);
  return ordinary(deps);
};

function later({ time, clients }: WorkloadDeps, delayMs: number, make: () => WantedRequest): void {
  time.after(delayMs, () => clients.request(make()));
}

function wanted({ chance, pace }: WorkloadDeps, team: SimulatedTeam, kind: RequestKind): WantedRequest {
  const tokens = chance.between(1, 24);
  return {
    kind,
    team,
    key: findKey(team, chance.between(0, 1)),
    plan: {
      tokens,
      stepMs: pace.stepMs,
      failsAt: chance.happens(0.04) ? chance.between(0, tokens - 1) : -1,
    },
    leavesAfterMs: chance.happens(0.12) ? chance.between(0, 8000) : null,
  };
}

function findKey({ keys }: SimulatedTeam, at: number): string {
  return keys[at]?.secret ?? "";
}
