/** Hearth with a scripted model or the built-in ones, behind a loopback proxy that records which requests it refuses. */
import { writeFileSync } from "node:fs";
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from "node:http";
import { join } from "node:path";
import { createApp, type Overrides } from "../../../src/app/app.js";
import { loadConfig } from "../../../src/config/config.js";
import { createScriptedEngine } from "../../../test/kit/scripted/engine.js";
import { workerUrls } from "../../../test/kit/worker-urls.js";
import { listen } from "../world/http-server.js";
import { scratchFolder } from "../world/processes.js";
import { createScriptedModel, type ScriptedModel, type ScriptOfTools } from "./model.js";

export interface RecordedServer {
  readonly url: string;
  readonly key: string;
  /** Refused requests since the last call: method, path, status and the beginning of the answer. */
  takeRefusals(): readonly string[];
  close(): Promise<void>;
}

export interface ConformanceServer extends RecordedServer {
  readonly model: ScriptedModel;
  /** Answers that are being generated. */
  active(): number;
}

const key = "conformance-key-of-sixteen-characters";
/** What agents read and write. */
export const contextTokens = 200_000;
export const slots = 8;
const refusalChars = 300;
/** A name that Codex knows, and for which it has more kinds of tools. */
export const knownAlias = "gpt-5.5";
export const modelId = "hearth-tiny-5m";

/** Starts the servers of a run, over an engine in the process or on remote engines. */
export interface Servers {
  /** Starts a server whose model answers as `model.play` says. */
  conformance(): Promise<ConformanceServer>;
  /** Starts a server whose model answers by a script. */
  scripted(script: ScriptOfTools): Promise<RecordedServer>;
  /** Starts a server with the built-in models. */
  builtIn(): Promise<RecordedServer>;
  /** Whether the built-in chat model runs on llama-server, in the tests of clients that are dependencies, too. */
  readonly onLlamaServer: boolean;
  close(): Promise<void>;
}

/** Servers that compute in their own process, or answer there by a script. */
export function localServers(): Servers {
  return {
    async conformance() {
      const model = createScriptedModel();
      const engine = createScriptedEngine(model.script, { contextTokens, slots });
      return { ...(await startRecorded({}, { engine })), model, active: () => engine.active };
    },
    scripted: (script) =>
      startRecorded({}, { engine: createScriptedEngine(script, { contextTokens, slots }) }),
    builtIn: () => startRecorded({}, {}),
    onLlamaServer: false,
    close: () => Promise.resolve(),
  };
}

/** Starts Hearth behind the proxy. @param environment HEARTH_* variables in addition. @param prepare writes what is to be in its folder of models */
export async function startRecorded(
  environment: NodeJS.ProcessEnv,
  overrides: Overrides,
  prepare: (folder: string) => void = () => undefined,
): Promise<RecordedServer> {
  const data = scratchFolder();
  prepare(data.path);
  const configFile = join(data.path, "hearth.yaml");
  writeFileSync(configFile, `models:\n  ${modelId}:\n    aliases: [${knownAlias}]\n`);
  const settings = {
    HEARTH_PORT: "0",
    HEARTH_DATA: data.path,
    HEARTH_MODELS: data.path,
    HEARTH_CONFIG: configFile,
    HEARTH_API_KEY: key,
    HEARTH_LOG_LEVEL: "error",
    ...environment,
  };
  const server = await createApp(loadConfig(settings).config, { ...workerUrls, ...overrides });
  const { port } = await server.listen();
  const proxy = await startProxy(port);
  return {
    url: proxy.url,
    key,
    takeRefusals: () => proxy.takeRefusals(),
    async close() {
      proxy.close();
      await server.close();
      data.remove();
    },
  };
}

async function startProxy(port: number) {
  let refusals: string[] = [];
  const proxy = createServer((request, response) => {
    forward(port, request, response, (refusal) => refusals.push(refusal));
  });
  return {
    url: await listen(proxy),
    takeRefusals(): readonly string[] {
      const taken = refusals;
      refusals = [];
      return taken;
    },
    close(): void {
      proxy.closeAllConnections();
      proxy.close();
    },
  };
}

/** Passes a request on. Agents ask for pages that no model server has: only refused POST requests are reported. */
function forward(
  port: number,
  request: IncomingMessage,
  response: ServerResponse,
  report: (refusal: string) => void,
): void {
  const { method = "GET", url = "/" } = request;
  const headers = { ...request.headers, host: `127.0.0.1:${port}` };
  const onward = httpRequest({ host: "127.0.0.1", port, method, path: url, headers }, (answer) => {
    const status = answer.statusCode ?? 502;
    response.writeHead(status, answer.headers);
    if (status >= 400 && method === "POST") {
      let body = "";
      answer.on("data", (chunk: Buffer) => (body += chunk.toString()));
      answer.on("end", () => report(`${method} ${url} answered ${status}: ${body.slice(0, refusalChars)}`));
    }
    answer.pipe(response);
    answer.on("error", () => response.destroy());
  });
  onward.on("error", () => response.destroy());
  response.on("close", () => onward.destroy());
  request.pipe(onward);
}
