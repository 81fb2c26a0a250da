/**
 * Measures deferred completions: the time to accept one, which is then on disk, and how soon a killed server
 * resumes them.
 */
import { scratchFolder } from "../../world/processes.js";
import { requestText } from "../../world/client.js";
import { firstKey, tinyModel, startScripted } from "../../world/server.js";
import { quantile, timed, toRow, type Row } from "../../figures/table.js";

const jobs = 10_000;

const headers = { authorization: `Bearer ${firstKey}`, "content-type": "application/json" };
const messages = [{ role: "user", content: "Tell me a long story." }];
const asked = {
  method: "POST",
  headers,
  body: JSON.stringify({ model: tinyModel, messages, deferred: true }),
};

/**
 * Fills the queue of a server whose model never answers, kills it, and starts one that answers on the same
 * folder.
 */
export async function deferredRows(): Promise<readonly Row[]> {
  const data = scratchFolder();
  const first = await startScripted(data.path, "holds");
  const times: number[] = [];
  let oldest = "";
  for (let job = 0; job < jobs; job++)
    times.push(
      await timed(async () => {
        const answer = await requestText(`${first.url}/v1/chat/completions`, asked);
        oldest ||= (JSON.parse(answer) as { readonly request_id: string }).request_id;
      }),
    );
  await first.kill();
  const began = performance.now();
  const second = await startScripted(data.path, "works");
  const listeningMs = performance.now() - began;
  await waitForAnswer(`${second.url}/v1/chat/deferred-completion/${oldest}`);
  const answeredMs = performance.now() - began;
  await second.stop();
  data.remove();
  return [
    toRow("deferred completion accepted, p50", `${quantile(times, 0.5).toFixed(2)} ms`),
    toRow("deferred completion accepted, p99", `${quantile(times, 0.99).toFixed(2)} ms`, "<= 10 ms"),
    toRow(`killed with ${jobs} queued, to listening`, `${listeningMs.toFixed(0)} ms`, "<= 2000 ms"),
    toRow("to the answer to the oldest of them", `${answeredMs.toFixed(0)} ms`, "<= 2000 ms"),
  ];
}

/** Polls until the answer is ready. @throws Error if the completion failed */
async function waitForAnswer(url: string): Promise<void> {
  for (;;) {
    const response = await fetch(url, { headers });
    const body = await response.text();
    if (response.status === 200) return;
    if (response.status !== 202) throw new Error(body);
  }
}
