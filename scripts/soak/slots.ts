import { setTimeout as delay } from "node:timers/promises";
import { chat, headerMs, type Target } from "../bench/client.js";
import { textOf } from "../bench/model.js";

/** What was left running is cut off by then: a chunk of a prompt, and a token. */
const settleMs = 2000;
/** A free slot is granted at once; whoever waits for a neighbour's answer waits longer. */
const queueMsMax = 20;
const tokensPerAnswer = 200;
const answerMsMax = 60_000;

/**
 * Asks as many things at the same time as there are slots, each of them long enough that none is over before the last one
 * has begun. @returns how many of them did not get a slot of their own at once.
 */
export async function stuckSlots(target: Target, model: string, slots: number): Promise<number> {
  await delay(settleMs);
  const burst = Array.from({ length: slots }, async (_, index) => {
    const answer = await chat(target, {
      model,
      content: textOf(9_000_000 + index, 4),
      maxTokens: tokensPerAnswer,
      stream: false,
      signal: AbortSignal.timeout(answerMsMax),
    });
    return answer.whole && headerMs(answer, "queue") <= queueMsMax;
  });
  const answers = await Promise.allSettled(burst);
  return answers.filter((answer) => answer.status === "rejected" || !answer.value).length;
}
