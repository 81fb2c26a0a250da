import { setTimeout as delay } from "node:timers/promises";
import { chat, headerMs, type Target } from "../world/client.js";
import { writeWords } from "../world/models.js";

/** By then, abandoned requests are aborted: at most a prefill chunk and a token remain. */
const settleMs = 2000;
/** A free slot is granted at once; a request that waits for another answer waits longer. */
const queueMsMax = 20;
const tokensPerAnswer = 200;
const answerMsMax = 60_000;

/**
 * Sends as many requests at the same time as there are slots, each long enough that none ends before the last
 * one has begun. @returns the number of requests that did not get a slot at once
 */
export async function stuckSlots(target: Target, model: string, slots: number): Promise<number> {
  await delay(settleMs);
  const burst = Array.from({ length: slots }, async (_, index) => {
    const answer = await chat(target, {
      model,
      content: writeWords(9_000_000 + index, 4),
      maxTokens: tokensPerAnswer,
      stream: false,
      signal: AbortSignal.timeout(answerMsMax),
    });
    return answer.whole && headerMs(answer, "queue") <= queueMsMax;
  });
  const answers = await Promise.allSettled(burst);
  return answers.filter((answer) => answer.status === "rejected" || !answer.value).length;
}
