/** Measures what a request and a token cost a node of this machine: CPU time of the thread that serves HTTP, with a scripted model. */
import autocannon from "autocannon";
import { chatInit } from "../../world/client.js";
import { mainThreadCpuMs, scratchFolder } from "../../world/processes.js";
import { startScripted } from "../../world/server.js";
import { quantile } from "../../figures/table.js";
import type { Costs } from "./costs.js";

const shortTokens = 8;
const longTokens = 400;
const rounds = 5;
const requestsOfRound = { answers: 400, long: 80 } as const;

/** Returns the medians of several rounds, in which short and long answers take turns. */
export async function measureNode(): Promise<Pick<Costs, "nodeMs" | "tokenMs">> {
  const [short, long] = [await startMeasured("answers"), await startMeasured("long")];
  try {
    const perToken: number[] = [];
    const perRequest: number[] = [];
    for (let round = 0; round <= rounds; round += 1) {
      const [few, many] = [await short.cpuMs(), await long.cpuMs()];
      // The first round warms up.
      if (round === 0) continue;
      const tokenMs = (many - few) / (longTokens - shortTokens);
      perToken.push(tokenMs);
      perRequest.push(few - tokenMs * shortTokens);
    }
    return { nodeMs: quantile(perRequest, 0.5), tokenMs: quantile(perToken, 0.5) };
  } finally {
    await short.stop();
    await long.stop();
  }
}

async function startMeasured(model: "answers" | "long") {
  const data = scratchFolder();
  const server = await startScripted(data.path, model);
  const { headers, body } = chatInit(longTokens + 1, true, "Tell me a long story.");
  const amount = requestsOfRound[model];
  return {
    /** Returns the CPU time of a request. */
    async cpuMs(): Promise<number> {
      const before = mainThreadCpuMs(server.pid);
      const { non2xx, errors } = await autocannon({
        url: `${server.url}/v1/chat/completions`,
        connections: 4,
        amount,
        method: "POST",
        headers,
        body,
      });
      if (non2xx + errors > 0) throw new Error(`${non2xx + errors} requests failed`);
      return (mainThreadCpuMs(server.pid) - before) / amount;
    },
    async stop(): Promise<void> {
      await server.stop();
      data.remove();
    },
  };
}
