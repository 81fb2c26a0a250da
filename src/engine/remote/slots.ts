/**
 * What the numbered slots of one llama-server hold, as far as this server has used them. It has no bound between clients of its own: a
 * request continues on whatever its slot holds. So each request names its slot, and continues there only on what its own team has left.
 */

interface Slot {
  isBusy: boolean;
  /** null: unknown. */
  held: { readonly teamId: string; readonly tokens: Uint32Array } | null;
  /** Rises with every use. */
  lastUse: number;
}

interface EnteredSlot {
  readonly slot: number;
  /** Whether the slot may continue on what it holds. */
  readonly reusesPrefixes: boolean;
  /** Tokens that it shares with the prompt; 0 where it must not continue. */
  readonly sharedTokens: number;
  /** @param tokens what the slot holds now; null: unknown */
  leave(tokens: Uint32Array | null): void;
}

/**
 * Where less of the slot is kept, or of the prompt is found, llama-server may exchange what the slot holds for something that it has in
 * its cache in memory, which may be another team's (`get_available_slot`, `--cache-ram`).
 */
const keptShareMin = 0.5;
const foundShareMin = 0.1;
/** Tokens that a slot may hold beyond those that are known: it goes on until it notices that a request has ended. */
const unseenTokensMax = 16;

export class SlotTable {
  #slots: Slot[] = [];
  #uses = 0;

  /** Forgets what the slots hold, because the server has been started again. */
  reset(count: number): void {
    for (const slot of this.#slots) slot.held = null;
    while (this.#slots.length < count) this.#slots.push({ isBusy: false, held: null, lastUse: 0 });
  }

  /** Takes a free slot. @returns null: none is free */
  enter(teamId: string, prompt: Uint32Array, mayReuse: boolean): EnteredSlot | null {
    const free = this.#slots.flatMap((slot, at) => (slot.isBusy ? [] : [{ slot, at }]));
    const shared = (slot: Slot): number =>
      slot.held?.teamId === teamId && mayReuse ? sharedLength(slot.held.tokens, prompt) : 0;
    const rated = free.map(({ slot, at }) => ({ slot, at, shared: shared(slot) }));
    rated.sort(
      (a, b) =>
        b.shared - a.shared ||
        Number(a.slot.held !== null) - Number(b.slot.held !== null) ||
        a.slot.lastUse - b.slot.lastUse,
    );
    const [best] = rated;
    if (best === undefined) return null;
    const { slot, at } = best;
    const held = slot.held?.tokens.length ?? 0;
    const reusesPrefixes =
      best.shared / (held + unseenTokensMax) >= keptShareMin && best.shared / prompt.length > foundShareMin;
    slot.isBusy = true;
    slot.held = null;
    return {
      slot: at,
      reusesPrefixes,
      sharedTokens: reusesPrefixes ? best.shared : 0,
      leave: (tokens) => {
        this.#uses += 1;
        slot.isBusy = false;
        slot.held = tokens === null ? null : { teamId, tokens };
        slot.lastUse = this.#uses;
      },
    };
  }
}

function sharedLength(a: Uint32Array, b: Uint32Array): number {
  const length = Math.min(a.length, b.length);
  let at = 0;
  while (at < length && a[at] === b[at]) at += 1;
  return at;
}
