/**
 * Chooses the next request of a client from a seeded generator: the same seed gives the same requests,
 * independent of timing.
 */
import { streamed } from "../world/requests.js";
import { writeWords } from "../world/models.js";

/** How a client behaves; `expected` is the status it should receive. */
export type Kind =
  | "short whole"
  | "short stream"
  | "long whole"
  | "long stream"
  | "long prompt"
  | "leaves at once"
  | "leaves later"
  | "leaves in the stream"
  | "too long a prompt"
  | "wrong field"
  | "no JSON"
  | "unknown model"
  | "wrong key";

export interface Plan {
  readonly kind: Kind;
  readonly stream: boolean;
  /** The body of the request. */
  readonly body: string;
  /** When the client disconnects, in milliseconds after sending; null = it does not. */
  readonly leaveAfterMs: number | null;
  /** The number of text frames after which it disconnects; null = it does not. */
  readonly leaveAfterFrames: number | null;
  /** The expected status if the server has capacity. */
  readonly expected: number;
}

/** The kinds and their percentages. */
const shares: readonly (readonly [Kind, number])[] = [
  ["short whole", 18],
  ["short stream", 18],
  ["long whole", 6],
  ["long stream", 6],
  ["long prompt", 6],
  ["leaves at once", 6],
  ["leaves later", 14],
  ["leaves in the stream", 14],
  ["too long a prompt", 3],
  ["wrong field", 3],
  ["no JSON", 2],
  ["unknown model", 2],
  ["wrong key", 2],
];

const refusals: Partial<Record<Kind, number>> = {
  "too long a prompt": 400,
  "wrong field": 422,
  "no JSON": 400,
  "unknown model": 404,
  "wrong key": 401,
};

const promptWords: Partial<Record<Kind, number>> = { "long prompt": 400, "too long a prompt": 4000 };

/** Returns the next request of a client. @param random a source of numbers from 0 to 1 */
export function nextPlan(model: string, random: () => number): Plan {
  const kind = pick(random);
  const between = (least: number, most: number): number => least + Math.floor(random() * (most - least));
  const leaving = kind.startsWith("leaves");
  const stream = kind.endsWith("stream") || (!kind.endsWith("whole") && random() < 0.5);
  const body = {
    model: kind === "unknown model" ? "no-such-model" : model,
    messages: [{ role: "user", content: writeWords(between(0, 1e6), promptWords[kind] ?? between(1, 30)) }],
    max_tokens:
      kind === "wrong field" ? "many" : kind.startsWith("long ") ? between(80, 300) : between(1, 40),
    temperature: random() < 0.5 ? 0 : 1,
    ...(stream ? streamed : { stream }),
  };
  const text = JSON.stringify(leaving ? { ...body, max_tokens: 2000 } : body);
  return {
    kind,
    stream,
    body: kind === "no JSON" ? text.slice(0, -between(1, 20)) : text,
    leaveAfterMs:
      kind === "leaves at once" ? between(0, 5) : kind === "leaves later" ? between(5, 1500) : null,
    leaveAfterFrames: kind === "leaves in the stream" ? between(1, 60) : null,
    expected: refusals[kind] ?? 200,
  };
}

function pick(random: () => number): Kind {
  let left = random() * shares.reduce((sum, [, share]) => sum + share, 0);
  for (const [kind, share] of shares) {
    left -= share;
    if (left < 0) return kind;
  }
  return "short whole";
}
