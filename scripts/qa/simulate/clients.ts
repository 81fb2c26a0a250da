/** The clients of a simulation: what they sent, what came back, and what follows from it. */
import type { Chance } from "../figures/chance.js";
import { send, type Exchange, type ExchangeEnd, type SimulatedRequest } from "./client.js";
import { writePlan, type AnswerPlan } from "./engine.js";
import type { JobTable } from "../checks/books.js";
import type { AcceptedJobs } from "../checks/jobs.js";
import { Counts } from "../figures/counts.js";
import { backgroundBody, chatBody, chatPath, jobPath } from "../world/requests.js";
import type { AdmittedRequests } from "./admitted.js";
import type { SimulatedServer } from "./server.js";
import type { SimulatedTime } from "./time.js";
import type { Trace } from "./trace.js";
import { simulatedModel, type SimulatedTeam } from "./world.js";

export type RequestKind = "chat" | "stream" | "choices" | "deferred" | "background";

export interface WantedRequest {
  readonly kind: RequestKind;
  readonly team: SimulatedTeam;
  /** Its secret. */
  readonly key: string;
  readonly plan: Omit<AnswerPlan, "tag">;
  /** Milliseconds after which the client disconnects; null = it stays. */
  readonly leavesAfterMs: number | null;
}

export interface ClientsDeps {
  readonly time: SimulatedTime;
  readonly chance: Chance;
  readonly trace: Trace;
  readonly jobs: AcceptedJobs;
  readonly admitted: AdmittedRequests;
  /** The process that answers; null while none runs. */
  readonly server: () => SimulatedServer | null;
}

interface Waiting {
  readonly exchange: Exchange;
  readonly teamId: string;
  /** Whether the client waits for a run that has no slot yet. */
  waitsForSlot: boolean;
}

/** How long after its request a client asks for the outcome of a job, each time. */
const pollsMs = [20_000, 60_000, 300_000, 1_800_000, 7_200_000];

export class Clients {
  /** Requests by kind and status; 0 = the connection broke. */
  readonly tally = new Counts();
  readonly #deps: ClientsDeps;
  readonly #open = new Map<string, Waiting>();
  #count = 0;
  #events = 0;
  /** Jobs that are being fetched or deleted. */
  readonly #ending = new Set<string>();
  #failure: Error | null = null;

  constructor(deps: ClientsDeps) {
    this.#deps = deps;
  }

  /** @throws what went wrong when an answer was read: its handler runs inside the server, which must not see it. */
  check(): void {
    if (this.#failure !== null) throw this.#failure;
  }

  /** Grows with everything that happens. */
  get events(): number {
    return this.#events;
  }

  get openRequests(): number {
    return this.#open.size;
  }

  /** The teams with a client that waits for a slot. */
  get waitingTeams(): ReadonlySet<string> {
    return new Set([...this.#open.values()].filter((each) => each.waitsForSlot).map(({ teamId }) => teamId));
  }

  /** A generation of this request has a slot. */
  started(tag: string): void {
    this.#events += 1;
    const waiting = this.#open.get(tag);
    if (waiting !== undefined) waiting.waitsForSlot = false;
  }

  /** The process has ended: every connection breaks. */
  disconnectAll(): void {
    for (const id of this.#ending) this.#deps.jobs.drop(id);
    this.#ending.clear();
    for (const { exchange } of this.#open.values()) exchange.leave();
    this.#open.clear();
  }

  /** Sends a request; what follows from its answer happens by itself. */
  request(wanted: WantedRequest): void {
    const { kind, team, key, leavesAfterMs } = wanted;
    const tag = `r${++this.#count}`;
    const arrivedAt = this.#deps.time.elapsed;
    const exchange = this.#send(tag, kind, team.id, { ...createRequest(wanted, tag), key }, (outcome) => {
      if (outcome === null || outcome.status >= 300) return;
      this.#deps.admitted.add(key, team.id, arrivedAt);
      if (kind === "deferred" || kind === "background") this.#accepted(kind, outcome.text, team);
    });
    if (leavesAfterMs !== null && exchange !== null)
      this.#deps.time.after(leavesAfterMs, () => exchange.leave());
  }

  /** Sends a request that is no work of its own, and reports what came of it. */
  ask(kind: string, teamId: string, request: SimulatedRequest, ended: (outcome: ExchangeEnd) => void): void {
    this.#send(`q${++this.#count}`, kind, teamId, request, ended);
  }

  #accepted(kind: "deferred" | "background", text: string, team: SimulatedTeam): void {
    const { jobs, chance, time } = this.#deps;
    const answer = JSON.parse(text) as { readonly request_id?: string; readonly id?: string };
    const id = answer.request_id ?? answer.id ?? "";
    const table: JobTable = kind === "deferred" ? "deferred_completions" : "responses";
    jobs.add({ id, table, teamId: team.id });
    for (const delay of pollsMs)
      time.after(delay + chance.between(0, 5000), () => this.#poll(id, table, team));
  }

  /** Asks for a job's outcome, and sometimes cancels or deletes it. */
  #poll(id: string, table: JobTable, team: SimulatedTeam): void {
    const { jobs, chance } = this.#deps;
    if (!jobs.has(id)) return;
    const key = team.keys[0]?.secret ?? "";
    const tag = `p${++this.#count}`;
    const path = jobPath(table, id);
    if (table === "deferred_completions") return this.#end(id, tag, { method: "GET", path, key }, team.id);
    const action = chance.pick(["get", "get", "get", "get", "cancel", "delete"]);
    if (action === "delete") this.#end(id, tag, { method: "DELETE", path, key }, team.id);
    else if (action === "cancel")
      this.#send(
        tag,
        "cancel",
        team.id,
        { method: "POST", path: `${path}/cancel`, key, body: {} },
        () => undefined,
      );
    else this.#send(tag, "get", team.id, { method: "GET", path, key }, () => undefined);
  }

  /** Sends what removes a job when it succeeds. */
  #end(id: string, tag: string, request: SimulatedRequest, teamId: string): void {
    this.#ending.add(id);
    this.#send(tag, request.method === "GET" ? "fetch" : "delete", teamId, request, (outcome) => {
      this.#ending.delete(id);
      // A power cut can keep what was being written when it was answered with 503.
      if (outcome === null || outcome.status === 200 || outcome.status === 503) this.#deps.jobs.drop(id);
    });
  }

  #send(
    tag: string,
    kind: string,
    teamId: string,
    request: SimulatedRequest,
    ended: (outcome: ExchangeEnd) => void,
  ): Exchange | null {
    const { server, trace } = this.#deps;
    const process = server();
    if (process === null) {
      this.#add(kind, 0);
      return null;
    }
    const waitsForSlot = kind === "chat" || kind === "stream" || kind === "choices";
    trace.add(`${tag} ${teamId} ${kind}`);
    let isOver = false;
    const exchange = send(
      (req, res) => process.app.handle(req, res),
      request,
      (outcome) => {
        isOver = true;
        this.#open.delete(tag);
        trace.add(`${tag} ${outcome?.status ?? "broken"} ${outcome?.text.length ?? 0}`);
        this.#add(kind, outcome?.status ?? 0);
        try {
          ended(outcome);
        } catch (thrown) {
          this.#failure ??= thrown instanceof Error ? thrown : new Error(String(thrown));
        }
      },
    );
    if (!isOver) this.#open.set(tag, { exchange, teamId, waitsForSlot });
    return exchange;
  }

  #add(kind: string, status: number): void {
    this.#events += 1;
    this.tally.add(`${kind} ${status}`);
  }
}

function createRequest({ kind, plan }: WantedRequest, tag: string): Omit<SimulatedRequest, "key"> {
  const prompt = { model: simulatedModel.manifest.id, text: writePlan({ tag, ...plan }) };
  if (kind === "background")
    return { method: "POST", path: "/v1/responses", body: backgroundBody(prompt, plan.tokens) };
  const more = { chat: {}, stream: { stream: true }, choices: { n: 2 }, deferred: { deferred: true } };
  return { method: "POST", path: chatPath, body: chatBody(prompt, plan.tokens, more[kind]) };
}
