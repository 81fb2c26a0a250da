/** Requests of attackers, whose outcomes are counted by status and by how long they took. */
import { sendRequest } from "../world/ask.js";
import type { AttackTarget } from "./target.js";

export interface AttackRun {
  readonly target: AttackTarget;
  readonly signal: AbortSignal;
  readonly count: (outcome: string) => void;
}

export type Attack = (run: AttackRun) => Promise<void>;

export interface Attempt {
  readonly method?: string;
  /** A text is JSON already. */
  readonly body?: object | string | FormData;
  readonly key?: string;
  /** Sends the management key. */
  readonly managed?: boolean;
  /** Names the outcome. */
  readonly label?: string;
  readonly timeoutMs?: number;
}

const timeoutMsMax = 120_000;

/** Sends a request, reads its answer, whatever it is, and counts the outcome. */
export async function attempt(
  { target, signal, count }: AttackRun,
  path: string,
  made: Attempt,
): Promise<void> {
  const { label, managed = false, key = target.key, timeoutMs = timeoutMsMax, ...more } = made;
  const began = performance.now();
  const name = label === undefined ? "" : `${label}: `;
  const took = (): string => {
    const seconds = (performance.now() - began) / 1000;
    return seconds < 1 ? "under 1 s" : seconds < 10 ? "under 10 s" : "over 10 s";
  };
  const asked = { ...more, key: managed ? target.managementKey : key, signal, timeoutMs };
  try {
    const status = await sendRequest(`${target.url}${path}`, asked, async (response) => {
      for await (const piece of response.body ?? []) void piece;
      return response.status;
    });
    count(`${name}${status} ${took()}`);
  } catch (thrown) {
    if (signal.aborted) return;
    count(`${name}${thrown instanceof Error ? thrown.message : String(thrown)} ${took()}`);
  }
}
