import { readFile } from "node:fs/promises";
import { Agent, request } from "node:http";
import { fileURLToPath } from "node:url";
import autocannon from "autocannon";
import { freeRules, type DecodeJob, type Engine } from "../../src/core/engine.js";
import { noTools } from "../../src/core/generation.js";
import type { Model, ModelManifest } from "../../src/core/model.js";
import { usableCores, usableMemoryBytes } from "../../src/engine/llama/machine.js";
import { createLlamaEngine } from "../../src/engine/llama/engine.js";
import { systemClock, systemRandom } from "../../src/system.js";
import { benchKey, benchModel, chatInit, mainThreadCpuMs, startServer, type BenchServer } from "./server.js";
import { quantile, type Row } from "./table.js";

const question = "Tell me a long story.";

/** What HTTP, dialect, scheduler and ledger cost on top of the engine, and how fast a plain route is. */
export async function httpSection(): Promise<readonly Row[]> {
  const model = await builtInModel();
  const engine = directEngine();
  const server = await startServer();
  await engine.load(model);
  const rows = [...(await latencyRows(server, engine, model)), ...(await cpuRows(server, engine, model))];
  await engine.close();
  rows.push(await listRow(server));
  await server.stop();
  return rows;
}

/** The same one-token request over HTTP and straight into the engine, in turn. */
async function latencyRows(server: BenchServer, engine: Engine, model: Model): Promise<readonly Row[]> {
  const http: number[] = [];
  const direct: number[] = [];
  for (let round = 0; round < 330; round++) {
    const times = {
      http: await timed(() => askHttp(server, 1, false)),
      direct: await timed(() => askEngine(engine, model, 1)),
    };
    if (round < 30) continue;
    http.push(times.http);
    direct.push(times.direct);
  }
  const added = quantile(http, 0.5) - quantile(direct, 0.5);
  return [
    {
      figure: "one-token request, engine alone, p50",
      value: `${quantile(direct, 0.5).toFixed(2)} ms`,
      reach: "",
    },
    { figure: "one-token request over HTTP, p50", value: `${quantile(http, 0.5).toFixed(2)} ms`, reach: "" },
    { figure: "added by Hearth, p50", value: `${added.toFixed(2)} ms`, reach: "<= 1.50 ms" },
    {
      figure: "ratio HTTP / engine",
      value: (quantile(http, 0.5) / quantile(direct, 0.5)).toFixed(2),
      reach: "",
    },
  ];
}

/**
 * CPU time of the thread that does HTTP, per further streamed token, less what a direct caller's thread needs for its own:
 * a long stream against one of a single token, so that what a request costs as such is not in it.
 */
async function cpuRows(server: BenchServer, engine: Engine, model: Model): Promise<readonly Row[]> {
  const perToken = { http: [] as number[], direct: [] as number[] };
  for (let round = 0; round < 20; round++) {
    perToken.http.push(await cpuPerToken(server.pid, (most) => askHttp(server, most, true)));
    perToken.direct.push(await cpuPerToken(process.pid, (most) => askEngine(engine, model, most)));
  }
  const [http, direct] = [quantile(perToken.http, 0.5), quantile(perToken.direct, 0.5)];
  return [
    { figure: "HTTP thread CPU per streamed token, p50", value: `${http.toFixed(1)} us`, reach: "" },
    { figure: "a direct caller's, p50", value: `${direct.toFixed(1)} us`, reach: "" },
    {
      figure: "added by Hearth per streamed token",
      value: `${(http - direct).toFixed(1)} us`,
      reach: "<= 50 us",
    },
  ];
}

async function listRow(server: BenchServer): Promise<Row> {
  const { requests } = await autocannon({
    url: `${server.url}/v1/models`,
    headers: { authorization: `Bearer ${benchKey}` },
    connections: 16,
    duration: 5,
  });
  return {
    figure: "GET /v1/models",
    value: `${Math.round(requests.average)} requests/s`,
    reach: ">= 3000 requests/s",
  };
}

async function timed(action: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await action();
  return performance.now() - began;
}

/** Microseconds of main-thread CPU for each token after the first; `ask` returns how many tokens came. */
async function cpuPerToken(pid: number, ask: (maxTokens: number) => Promise<number>): Promise<number> {
  const [start, oneToken] = [mainThreadCpuMs(pid), await ask(1)];
  const [between, tokens] = [mainThreadCpuMs(pid), await ask(400)];
  const [one, many] = [between - start, mainThreadCpuMs(pid) - between];
  return ((many - one) * 1000) / (tokens - oneToken);
}

const agent = new Agent({ keepAlive: true });

/** Sends with Node's plainest client, so that as little as can be of what is measured is the client's. */
function askHttp(server: BenchServer, maxTokens: number, stream: boolean): Promise<number> {
  const { method, headers, body } = chatInit(maxTokens, stream, question);
  return new Promise((resolve, reject) => {
    const sent = request(`${server.url}/v1/chat/completions`, { method, headers, agent }, (answer) => {
      let text = "";
      answer.setEncoding("utf8");
      answer.on("data", (piece: string) => (text += piece));
      answer.on("end", () => {
        if (answer.statusCode === 200) resolve(completionTokens(text));
        else reject(new Error(text));
      });
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

/** From the usage of the body, or of the last frame but one. */
function completionTokens(text: string): number {
  return Number(/"completion_tokens":(\d+)/.exec(text)?.[1] ?? Number.NaN);
}

async function askEngine(engine: Engine, model: Model, maxTokens: number): Promise<number> {
  const messages = [{ role: "user", content: question }] as const;
  const prompt = await engine.prompt(model, { messages, tools: [], reasoningEffort: "none" });
  const sampling = {
    temperature: 0,
    topP: 1,
    seed: 1,
    frequencyPenalty: 0,
    presencePenalty: 0,
    topK: null,
    minP: 0,
    logitBias: {},
  };
  const job: DecodeJob = {
    prompt,
    teamId: "bench",
    sampling,
    tools: [],
    toolChoice: noTools,
    rules: freeRules,
    callIdPrefix: "call_",
    reasoningTokensMax: null,
    topLogprobs: null,
    stop: [],
    maxTokens,
    maxTokensExcludesReasoning: true,
    deterministic: false,
  };
  let tokens = 0;
  for await (const event of engine.generate(model, job, new AbortController().signal))
    if (event.type === "text-delta") tokens += event.tokens;
  return tokens;
}

function directEngine(): Engine {
  return createLlamaEngine({
    settings: {
      cores: usableCores(),
      threads: null,
      slotsPerModel: 4,
      contextTokensMax: 8192,
      prefillChunkTokens: 128,
      tokenGapMsMax: 500,
      prefixCacheFolder: null,
      prefixCacheBytesMax: 0,
      kvCacheType: "f16",
      flashAttention: "auto",
      gpu: "auto",
    },
    random: systemRandom,
    clock: systemClock,
    memoryBytesMax: usableMemoryBytes(),
    keepAliveMs: 3_600_000,
    verify: () => Promise.resolve(null),
    smoke: () => Promise.resolve(null),
    workerUrl: new URL("../../dist/engine/llama/worker.js", import.meta.url),
    log: () => undefined,
  });
}

async function builtInModel(): Promise<Model> {
  const folder = fileURLToPath(new URL(`../../models/${benchModel}/`, import.meta.url));
  const manifest = JSON.parse(await readFile(`${folder}manifest.json`, "utf8")) as ModelManifest;
  return {
    manifest,
    path: folder + manifest.file,
    unusable: null,
    kvBytesPerToken: 0,
    fingerprint: "fp_bench",
  };
}
