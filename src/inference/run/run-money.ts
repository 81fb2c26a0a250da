/**
 * The money of a run. What the run can cost at most is reserved together with its row in the usage table, before the engine works, so
 * that a process that dies leaves a trace of every run. What it uses is counted while it runs. Its end and its charge are written
 * together when it has ended. Whatever was read before, the database ensures that no credit is reserved twice.
 */
import type { RequestBound } from "../../accounts/budgets/refusal.js";
import {
  computeCharge,
  noCreditsError,
  reserveTransaction,
  settleTransaction,
  shortfallFor,
  type Spendable,
} from "../../accounts/money/ledger.js";
import type { Principal } from "../../accounts/principals/api-key.js";
import { noLabels } from "../../accounts/principals/spend-labels.js";
import { isRecent } from "../../accounts/principals/team-reading.js";
import { HearthError } from "../../core/errors.js";
import type { Model } from "../../core/model.js";
import { computeCost, isFree, computeMaxCost, type Ticks } from "../../core/money.js";
import { limitUsage, noUsage, type Usage, type UsageBound } from "../../core/usage.js";
import type { Write } from "../../store/writes.js";
import type { BillableRun, RunServices } from "./run-context.js";
import type { RunEnding, RunOutcome, RunRecord } from "./run-record.js";
import type { SettleRetries } from "./settle-retries.js";

/** What a team may spend, as it was read for a request. */
interface SpendableReading {
  readonly spendable: Spendable;
  /** In milliseconds of the monotonic clock. */
  readonly at: number;
}

/** What is reserved for a run. */
interface Reservation {
  /** Reserved from the team's credit; null for a team that does not pay in advance. */
  readonly reservedTicks: Ticks | null;
  /** Reserved from the budgets. */
  readonly bound: RequestBound;
}

/** What is written of a run before it produces anything. */
interface RunStart {
  readonly promptTokens: number;
  /** The most that the run can consume. */
  readonly bound: UsageBound;
}

/** What is written of a run that has ended. */
interface WrittenEnd {
  readonly state: RunOutcome["state"];
  readonly ending: RunEnding;
  /** Written in the same transaction; null when the run is void and costs nothing. */
  readonly writes: readonly Write[] | null;
}

export interface Settlement {
  /** What the run is charged. */
  readonly chargedTicks: Ticks;
  /**
   * Resolves, never rejects, once the end is written after a failed attempt, or was given up; null when the first attempt wrote it.
   */
  readonly unwritten: Promise<void> | null;
  /** Why what should have been written with the end is lost; null: it is not. */
  readonly lost: unknown;
}

export class RunMoney {
  readonly #services: RunServices;
  readonly #run: BillableRun;
  #spendable: SpendableReading | null = null;
  #prepared: (RunStart & { readonly reservation: Reservation }) | null = null;
  #recording: Promise<void> | null = null;
  /** When the run's row was inserted; null while it has none. */
  #startTime: number | null = null;
  /** Null while the run has no row. */
  #reservation: Reservation | null = null;
  /** The most that is reserved; null while the run has no row. */
  #most: UsageBound | null = null;
  /** As it was counted. */
  #usage: Usage = noUsage;

  constructor(services: RunServices, run: BillableRun) {
    this.#services = services;
    this.#run = run;
  }

  /** When the run's row was inserted, in milliseconds since the epoch; null while it has none. */
  get startTime(): number | null {
    return this.#startTime;
  }

  /** What the run has used so far, never more than is reserved for it, whatever an engine says: it is charged for this. */
  get usage(): Usage {
    return this.#most === null ? this.#usage : limitUsage(this.#usage, this.#most);
  }

  /** What the usage so far costs. */
  get costTicks(): Ticks {
    return computeCost(this.usage, this.#run.model.manifest.prices);
  }

  /** What a run that ends now is charged: nothing when it has no row, never more than its bound. */
  get chargeTicks(): Ticks {
    return this.#reservation === null ? 0 : computeCharge(this.costTicks, this.#reservation.bound.ticks);
  }

  /** Changes what the run has used. */
  count(change: (usage: Usage) => Usage): void {
    this.#usage = change(this.#usage);
  }

  /** Returns the usage with what the run is charged, server calls included. */
  toChargedUsage(ownTicks: Ticks): Usage {
    const { usage } = this;
    return { ...usage, chargedTicks: ownTicks + (usage.serverCallTicks ?? 0) };
  }

  /** Counts nothing of a run that failed by a fault of the server. The runs of its server calls are charged by themselves. */
  dropTokens(): void {
    this.count(({ serverCalls, serverCallTicks }) => ({ ...noUsage, serverCalls, serverCallTicks }));
  }

  /** Refuses the run as `refuseWithoutCredit` does. */
  async refuseWithoutCredit(): Promise<void> {
    const { model, context } = this.#run;
    this.#spendable = await refuseWithoutCredit(this.#services, model, context.principal);
  }

  /**
   * Checks that the team can pay for the run, and that its budgets cover it, before the run waits for a slot.
   * @throws HearthError `no_credits`, `budget_exceeded`, `invalid_value` when the cost is too large to be counted.
   */
  async prepare(start: RunStart): Promise<void> {
    this.#prepared = { ...start, reservation: await this.#boundCost(start.bound, this.#spendable) };
  }

  /**
   * Inserts the row of a prepared run and reserves its bound, once however often it is called. It must be called before anything is
   * produced.
   * @throws HearthError `no_credits` or `budget_exceeded` when other runs have reserved the credit or the budget since it was checked.
   */
  record(): Promise<void> {
    return (this.#recording ??= this.#insert());
  }

  /**
   * Reserves more for a run that has its row, in one transaction, with a transaction of the ledger of its own.
   * @param more what it can consume besides what is reserved.
   * @throws HearthError as `prepare` and `record` do; then what was reserved before stays reserved.
   */
  async reserveMore(more: UsageBound): Promise<void> {
    if (this.#reservation === null || this.#most === null)
      throw new Error("a run without a row cannot reserve more");
    const { runs } = this.#services;
    const { id, teamId } = this.#ledgerRun();
    const added = await this.#boundCost(more, null);
    const whole = sumReservations(this.#reservation, added);
    const writes = this.#reservationWrites(added, this.#services.clock.now());
    await this.#writeReservation(added, () => runs.enlarge(id, { teamId, ...whole }, writes));
    this.#reservation = whole;
    // What was counted beyond the bound takes nothing of what is added.
    this.#usage = this.usage;
    this.#most = sumBounds(this.#most, more);
  }

  /** Writes how the run ended and charges what it produced, also when its client left or the engine failed. */
  async settle(written: WrittenEnd, retries: SettleRetries): Promise<Settlement> {
    const end = written.writes === null ? toVoid(written) : { ...written, writes: written.writes };
    const chargedTicks = this.#chargeFor(end.state);
    try {
      await this.#writeEnd(end);
      return { chargedTicks, unwritten: null, lost: null };
    } catch (thrown) {
      // Taken over by another server, while this one was cut off or did not run: it is interrupted, at no cost.
      if (hasEnded(thrown) && end.writes.length === 0)
        return { chargedTicks: 0, unwritten: null, lost: null };
      if (!hasEnded(thrown)) this.#services.onSettleFailure(this.#run.id, thrown);
      // The client must not take its result for stored, and nobody pays for what is lost or will be done again.
      const isLost = end.writes.length > 0;
      const retried = isLost ? toVoid(end) : end;
      const unwritten = retries.retry(() => this.#writeEnd(retried).catch(ignoreEnded));
      return { chargedTicks: isLost ? 0 : chargedTicks, unwritten, lost: isLost ? thrown : null };
    }
  }

  /** Returns what must be reserved: the most that can be used, and what it can cost. @param known what was read for the same request before */
  async #boundCost(most: UsageBound, known: SpendableReading | null): Promise<Reservation> {
    const { ledger, budgets, clock } = this.#services;
    const { model, context } = this.#run;
    const { team } = context.principal;
    const ticks = countable(() => computeMaxCost(most, model.manifest.prices));
    const bound = { ticks, tokens: most.prompt + most.sampled };
    await budgets.check(context.principal, bound);
    if (team.billing === "unmetered") return { reservedTicks: null, bound };
    if (ticks === 0 || suffices(known, ticks, clock.monotonic())) return { reservedTicks: ticks, bound };
    const shortfall = shortfallFor(await ledger.spendable(team.id, clock.now()), ticks);
    if (shortfall !== null) throw noCreditsError(team.id, ticks, shortfall);
    return { reservedTicks: ticks, bound };
  }

  async #insert(): Promise<void> {
    const prepared = this.#prepared;
    if (prepared === null) throw new Error("the run was not prepared");
    const { promptTokens, reservation, bound } = prepared;
    const startTime = this.#services.clock.now();
    const row = this.#toRow({ ...noUsage, promptTokens }, reservation, startTime);
    const writes = this.#reservationWrites(reservation, startTime);
    await this.#writeReservation(reservation, () => this.#services.runs.insert(row, writes));
    this.#startTime = startTime;
    this.#reservation = reservation;
    this.#most = bound;
  }

  #toRow(usage: Usage, { reservedTicks, bound }: Reservation, startTime: number): RunRecord {
    const { id, model, requestedModel, context, labels, createTime } = this.#run;
    const { principal, requestId, endpoint, streamed = false } = context;
    const { prices } = model.manifest;
    return {
      id,
      requestId,
      teamId: principal.team.id,
      apiKeyId: principal.key.id,
      endpoint,
      model: model.manifest.id,
      requestedModel,
      state: "running",
      usage,
      costTicks: computeCost(usage, prices),
      prices,
      reservedTicks,
      startTime,
      endTime: null,
      budgeted: { userId: principal.key.userId, bound },
      accepted: { createTime, streamed },
      labelled: { text: labels, spend: principal.labels ?? noLabels },
    };
  }

  /** Returns the writes that reserve credit. */
  #reservationWrites({ reservedTicks }: Reservation, time: number): readonly Write[] {
    const transaction = reserveTransaction(this.#ledgerRun(), reservedTicks ?? 0, time);
    return transaction === null ? [] : this.#services.ledger.posting(transaction);
  }

  /** Writes a reservation. @throws HearthError `budget_exceeded` that names the budget. */
  async #writeReservation({ bound }: Reservation, write: () => Promise<void>): Promise<void> {
    try {
      await write();
    } catch (thrown) {
      if (thrown instanceof HearthError && thrown.kind === "budget_exceeded")
        throw await this.#services.budgets.refusal(this.#run.context.principal, bound);
      throw thrown;
    }
  }

  #chargeFor(state: WrittenEnd["state"]): Ticks {
    return state === "interrupted" ? 0 : this.chargeTicks;
  }

  async #writeEnd({ state, ending, writes }: End): Promise<void> {
    const { runs, ledger, clock } = this.#services;
    if (this.#reservation === null) {
      if (writes.length > 0) await runs.finishUnrecorded(writes);
      return;
    }
    const endTime = clock.now();
    const { reservedTicks } = this.#reservation;
    const chargeTicks = this.#chargeFor(state);
    const transaction = settleTransaction(this.#ledgerRun(), { reservedTicks, chargeTicks }, endTime);
    const outcome = { state, usage: this.usage, costTicks: chargeTicks, endTime, ending };
    const posting = transaction === null ? [] : ledger.posting(transaction);
    await runs.finish(this.#run.id, outcome, [...posting, ...writes]);
  }

  #ledgerRun(): { readonly id: string; readonly teamId: string } {
    return { id: this.#run.id, teamId: this.#run.context.principal.team.id };
  }
}

/**
 * Refuses a team without any credit, or a key with a used budget, before a model is loaded for it.
 * @returns what the team may spend; null when it does not matter. @throws HearthError `no_credits`, `budget_exceeded`.
 */
export async function refuseWithoutCredit(
  { ledger, budgets, clock }: RunServices,
  { manifest }: Model,
  principal: Principal,
): Promise<SpendableReading | null> {
  const { team } = principal;
  const free = isFree(manifest.prices);
  // Images have no tokens: a budget of tokens does not refuse them.
  const tokens = manifest.kind === "image" ? 0 : 1;
  await budgets.check(principal, { ticks: free ? 0 : 1, tokens });
  if (team.billing === "unmetered" || free) return null;
  const at = clock.monotonic();
  const known = readingWithKey(principal);
  if (suffices(known, 1, at)) return known;
  const spendable = await ledger.spendable(team.id, clock.now());
  const shortfall = shortfallFor(spendable, 1);
  if (shortfall !== null) throw noCreditsError(team.id, null, shortfall);
  return { spendable, at };
}

/** Returns what the look-up of the key has read; null when it does not say what the team may spend. */
function readingWithKey({ teamHas, readAt }: Principal): SpendableReading | null {
  const credit = teamHas?.credit ?? null;
  return credit === null || readAt === undefined
    ? null
    : { spendable: { credit, monthTicks: null }, at: readAt };
}

/** Whether a recent reading says that a team can pay. */
function suffices(known: SpendableReading | null, ticks: Ticks, now: number): boolean {
  return known !== null && isRecent(known.at, now) && shortfallFor(known.spendable, ticks) === null;
}

function countable(count: () => Ticks): Ticks {
  try {
    return count();
  } catch (thrown) {
    if (!(thrown instanceof RangeError)) throw thrown;
    throw new HearthError("invalid_value", "The cost of this request may be too large to be counted.", {
      cause: thrown,
    });
  }
}

function sumReservations(one: Reservation, other: Reservation): Reservation {
  return {
    reservedTicks: one.reservedTicks === null ? null : one.reservedTicks + (other.reservedTicks ?? 0),
    bound: {
      ticks: one.bound.ticks + other.bound.ticks,
      tokens: one.bound.tokens + other.bound.tokens,
    },
  };
}

function sumBounds(one: UsageBound, other: UsageBound): UsageBound {
  return {
    prompt: one.prompt + other.prompt,
    sampled: one.sampled + other.sampled,
    images: (one.images ?? 0) + (other.images ?? 0),
  };
}

type End = WrittenEnd & { readonly writes: readonly Write[] };

/** Returns the end of a run that is void. */
function toVoid({ ending }: WrittenEnd): End {
  return { state: "interrupted", ending, writes: [] };
}

/** Whether a run, or what belongs to it, has been ended by another server. */
function hasEnded(thrown: unknown): boolean {
  return thrown instanceof HearthError && thrown.kind === "conflict";
}

function ignoreEnded(thrown: unknown): void {
  if (!hasEnded(thrown)) throw thrown;
}
