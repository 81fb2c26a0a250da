/** Compares a request with the same one sent directly to the engine: the difference is what Hearth adds. */
import type { Engine } from "../../../../src/core/engine.js";
import type { Model } from "../../../../src/core/model.js";
import { mainThreadCpuMs } from "../../world/processes.js";
import { chatInit, requestText } from "../../world/client.js";
import type { ServerProcess } from "../../world/server.js";
import { quantile, timed, toRow, type Row } from "../../figures/table.js";
import { askEngine, readTinyModel, directEngine } from "./direct-engine.js";

const question = "Tell me a long story.";

/** Returns the time added per request and the CPU time added per streamed token. */
export async function addedRows(server: ServerProcess): Promise<readonly Row[]> {
  const model = await readTinyModel();
  const engine = directEngine();
  await engine.load(model);
  const rows = [...(await latencyRows(server, engine, model)), ...(await cpuRows(server, engine, model))];
  await engine.close();
  return rows;
}

/** Sends the same one-token request over HTTP and directly to the engine, in turn. */
async function latencyRows(server: ServerProcess, engine: Engine, model: Model): Promise<readonly Row[]> {
  const http: number[] = [];
  const direct: number[] = [];
  for (let round = 0; round < 330; round++) {
    const times = {
      http: await timed(() => askHttp(server, 1, false)),
      direct: await timed(() => askEngine(engine, model, question, 1)),
    };
    if (round < 30) continue;
    http.push(times.http);
    direct.push(times.direct);
  }
  const added = quantile(http, 0.5) - quantile(direct, 0.5);
  return [
    toRow("one-token request, engine alone, p50", `${quantile(direct, 0.5).toFixed(2)} ms`),
    toRow("one-token request over HTTP, p50", `${quantile(http, 0.5).toFixed(2)} ms`),
    toRow("added by Hearth, p50", `${added.toFixed(2)} ms`, "<= 1.50 ms"),
    toRow("ratio HTTP / engine", (quantile(http, 0.5) / quantile(direct, 0.5)).toFixed(2)),
  ];
}

/**
 * Measures the CPU time of the HTTP thread per additional streamed token, minus the time of a direct caller's
 * thread. A long stream is compared with one of a single token, so the fixed cost of a request is not
 * included.
 */
async function cpuRows(server: ServerProcess, engine: Engine, model: Model): Promise<readonly Row[]> {
  const perToken = { http: [] as number[], direct: [] as number[] };
  for (let round = 0; round < 20; round++) {
    perToken.http.push(await cpuPerToken(server.pid, (most) => askHttp(server, most, true)));
    perToken.direct.push(await cpuPerToken(process.pid, (most) => askEngine(engine, model, question, most)));
  }
  const [http, direct] = [quantile(perToken.http, 0.5), quantile(perToken.direct, 0.5)];
  return [
    toRow("HTTP thread CPU per streamed token, p50", `${http.toFixed(1)} us`),
    toRow("a direct caller's, p50", `${direct.toFixed(1)} us`),
    toRow("added by Hearth per streamed token", `${(http - direct).toFixed(1)} us`, "<= 50 us"),
  ];
}

/**
 * Returns the microseconds of main-thread CPU per token after the first; `ask` returns the number of tokens.
 */
async function cpuPerToken(pid: number, ask: (maxTokens: number) => Promise<number>): Promise<number> {
  const [start, oneToken] = [mainThreadCpuMs(pid), await ask(1)];
  const [between, tokens] = [mainThreadCpuMs(pid), await ask(400)];
  const [one, many] = [between - start, mainThreadCpuMs(pid) - between];
  return ((many - one) * 1000) / (tokens - oneToken);
}

/** @returns the number of tokens, from the usage in the body or in the last frame but one */
async function askHttp({ url }: ServerProcess, maxTokens: number, stream: boolean): Promise<number> {
  const text = await requestText(`${url}/v1/chat/completions`, chatInit(maxTokens, stream, question));
  return Number(/"completion_tokens":(\d+)/.exec(text)?.[1] ?? Number.NaN);
}
