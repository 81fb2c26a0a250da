/** Limits how often sign-ins may fail, for each address and for each e-mail. */
import { isIPv6 } from "node:net";
import type { Clock } from "../../core/clock.js";
import { HearthError } from "../../core/errors.js";
import { SlidingWindow } from "../limits/sliding-window.js";
import { foldEmail } from "../principals/member.js";

const spanMs = 15 * 60 * 1000;
/** Failures within the span after which further attempts are refused. */
const failuresMax = { address: 30, email: 10 } as const;
/** Addresses and e-mails of which failures are remembered; the one that was used longest ago is forgotten first. */
const rememberedMax = 10_000;

/** Who makes an attempt: from which address, and with which e-mail; null: the attempt names none. */
interface AttemptSource {
  readonly address: string;
  readonly email: string | null;
}

export type SignInAttempts = ReturnType<typeof createSignInAttempts>;

export function createSignInAttempts(clock: Clock) {
  const addresses = new Failures(failuresMax.address);
  const emails = new Failures(failuresMax.email);
  const begin = ({ address, email }: AttemptSource): (() => void) => {
    const now = Math.floor(clock.monotonic());
    const counted = [addresses.of(network(address), now)];
    if (email !== null) counted.push(emails.of(foldEmail(email), now));
    const waitMs = Math.max(...counted.map((failures) => failures.waitMs));
    if (waitMs > 0)
      throw new HearthError("rate_limited", "Too many sign-ins have failed. Please try again later.", {
        retryAfterMs: waitMs,
      });
    for (const { window } of counted) window.add(now, 1);
    return () => {
      for (const { window } of counted) window.giveBack(now, 1);
    };
  };
  return {
    /**
     * Counts an attempt as failed from its beginning: parallel guesses would all be within the limit.
     * @returns a function that takes the count back, for an attempt that did not fail.
     * @throws HearthError `rate_limited` with the time of the next attempt.
     */
    begin,
    /**
     * Makes an attempt, and counts it as failed when its secret is wrong.
     * @throws HearthError `rate_limited` with the time of the next attempt, or what `attempt` throws.
     */
    async make<Result>(from: AttemptSource, attempt: () => Promise<Result>): Promise<Result> {
      const giveBack = begin(from);
      try {
        const result = await attempt();
        giveBack();
        return result;
      } catch (thrown) {
        if (!isWrongSecret(thrown)) giveBack();
        throw thrown;
      }
    },
  };
}

/** Whether a wrong password or link caused the error; an attempt that could not be made has another one. */
export function isWrongSecret(thrown: unknown): boolean {
  if (!(thrown instanceof HearthError)) return false;
  return thrown.kind === "bad_credential" || thrown.param === "currentPassword";
}

class Failures {
  readonly #windows = new Map<string, SlidingWindow>();

  constructor(readonly max: number) {}

  /** Returns the failures of a name, and the time until the next attempt. */
  of(name: string, now: number): { readonly window: SlidingWindow; readonly waitMs: number } {
    const window = this.#windows.get(name) ?? new SlidingWindow(spanMs);
    window.slide(now);
    // The last entry of the map is the one that was used last.
    this.#windows.delete(name);
    this.#windows.set(name, window);
    const [oldest] = this.#windows.keys();
    if (this.#windows.size > rememberedMax && oldest !== undefined) this.#windows.delete(oldest);
    return { window, waitMs: window.fallsToAt(this.max - 1, now) - now };
  }
}

/** Returns the address, or the first half of an IPv6 address: a client has all addresses with it. */
function network(address: string): string {
  if (!isIPv6(address) || address.includes(".")) return address;
  const [head = "", tail] = address.split("::");
  const groups = head.split(":");
  const rest = tail === undefined || tail === "" ? [] : tail.split(":");
  const whole = [
    ...groups,
    ...Array<string>(Math.max(0, 8 - groups.length - rest.length)).fill("0"),
    ...rest,
  ];
  return whole.slice(0, 4).join(":");
}
