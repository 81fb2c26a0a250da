import { chatInit } from "../world/client.js";
import { residentMb } from "../world/processes.js";
import { spawnServer } from "../world/server.js";
import { spread, toRow, type Row } from "../figures/table.js";

const rounds = 5;

/**
 * Measures the time from process start to listening and to the first token of the built-in model, and the
 * memory before any model is loaded.
 */
export async function startSection(): Promise<readonly Row[]> {
  const listen: number[] = [];
  const firstToken: number[] = [];
  const idle: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const server = await spawnServer();
    listen.push(server.listenMs);
    await fetch(`${server.url}/healthz`);
    idle.push(residentMb(server.pid));
    await untilFirstToken(server.url);
    firstToken.push(performance.now() - server.startedAt);
    await server.stop();
  }
  return [
    toRow("process start to listening", spread(listen, 0, "ms"), "<= 1000 ms"),
    toRow("process start to first token", spread(firstToken, 0, "ms"), "<= 2000 ms"),
    toRow("resident memory before a model is loaded", spread(idle, 0, "MB"), "<= 150 MB"),
  ];
}

async function untilFirstToken(url: string): Promise<void> {
  const answer = await fetch(`${url}/v1/chat/completions`, chatInit(8, true, "Hello"));
  if (answer.body === null) throw new Error("no body");
  let seen = "";
  for await (const piece of answer.body.pipeThrough(new TextDecoderStream())) {
    seen += piece;
    if (/"content":"[^"]/.test(seen)) return;
  }
  throw new Error(`no token came: ${seen}`);
}
