/** Requests of attackers, whose outcomes are counted by status and by how long they took. */
import type { Target } from "./target.js";

export interface AttackRun {
  readonly target: Target;
  readonly signal: AbortSignal;
  readonly count: (outcome: string) => void;
}

export type Attack = (run: AttackRun) => Promise<void>;

export interface Asked {
  readonly method?: string;
  readonly body?: object;
  /** The body, already JSON. */
  readonly text?: string;
  readonly form?: FormData;
  readonly key?: string;
  /** Sends the management key. */
  readonly managed?: boolean;
  /** Names the outcome. */
  readonly label?: string;
  readonly timeoutMs?: number;
}

const timeoutMsMax = 120_000;

/** Sends a request and reads its answer, whatever it is. */
export async function ask({ target, signal, count }: AttackRun, path: string, asked: Asked): Promise<void> {
  const began = performance.now();
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), asked.timeoutMs ?? timeoutMsMax);
  const name = asked.label === undefined ? "" : `${asked.label}: `;
  const took = (): string => {
    const seconds = (performance.now() - began) / 1000;
    return seconds < 1 ? "under 1 s" : seconds < 10 ? "under 10 s" : "over 10 s";
  };
  try {
    const response = await fetch(`${target.url}${path}`, {
      ...initOf(target, asked),
      signal: AbortSignal.any([signal, late.signal]),
    });
    for await (const piece of response.body ?? []) void piece;
    count(`${name}${response.status} ${took()}`);
  } catch (thrown) {
    if (signal.aborted) return;
    count(`${name}${late.signal.aborted ? "no end" : String(thrown)} ${took()}`);
  } finally {
    clearTimeout(timer);
  }
}

function initOf({ key, managementKey }: Target, asked: Asked): RequestInit {
  const credential = asked.managed === true ? managementKey : (asked.key ?? key);
  const body = asked.form ?? asked.text ?? (asked.body === undefined ? null : JSON.stringify(asked.body));
  return {
    method: asked.method ?? (body === null ? "GET" : "POST"),
    headers: {
      authorization: `Bearer ${credential}`,
      ...(body === null || asked.form !== undefined ? {} : { "content-type": "application/json" }),
    },
    body,
  };
}
