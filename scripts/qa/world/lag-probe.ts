/**
 * A separate process that requests /healthz repeatedly, undisturbed by the clients' process, and sends the
 * response times when it receives a message. Its argument is the server's address.
 */
import { request, Agent } from "node:http";
import { setTimeout as delay } from "node:timers/promises";

const everyMs = 10;
const url = process.argv[2] ?? "";
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
const times: number[] = [];
let isOver = false;

process.on("message", () => (isOver = true));
while (!isOver) {
  times.push(await answerMs());
  await delay(everyMs);
}
agent.destroy();
process.send?.(times, () => process.disconnect());

function answerMs(): Promise<number> {
  const askedAt = performance.now();
  return new Promise((resolve, reject) => {
    const asked = request(`${url}/healthz`, { agent }, (answer) => {
      answer.resume();
      answer.once("end", () => resolve(performance.now() - askedAt));
    });
    asked.once("error", reject);
    asked.end();
  });
}
