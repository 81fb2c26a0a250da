/**
 * Measures each route without the model: a whole request on a keep-alive connection, answered by the scripted
 * engine.
 */
import { scratchFolder } from "../../world/processes.js";
import { requestText, type HttpRequest } from "../../world/client.js";
import { firstKey, tinyModel, startScripted } from "../../world/server.js";
import { quantile, timed, toRow, type Row } from "../../figures/table.js";

const rounds = 1000;
const roundsBefore = 200;

const model = tinyModel;
const messages = [{ role: "user", content: "Tell me a long story." }];

/** One request per route; the scripted engine answers all with the same eight tokens. */
const bodies: Readonly<Record<string, object | null>> = {
  "/v1/chat/completions": { model, messages },
  "/v1/responses": { model, input: "Tell me a long story." },
  "/v1/completions": { model, prompt: "Once upon a time", max_tokens: 16 },
  "/v1/messages": { model, messages, max_tokens: 16 },
  "/v1/complete": {
    model,
    prompt: "\n\nHuman: Tell me a long story.\n\nAssistant:",
    max_tokens_to_sample: 16,
  },
  "/v1/tokenize-text": { model, text: "Tell me a long story." },
  "/v1/models": null,
};

/**
 * Returns a row per route. The routes take turns, so that other load on the machine affects all of them
 * equally.
 */
export async function routeRows(): Promise<readonly Row[]> {
  const data = scratchFolder();
  const server = await startScripted(data.path, "answers");
  const routes = Object.entries(bodies).map(([path, body]) => ({
    figure: `${body === null ? "GET" : "POST"} ${path}, own time, p50`,
    url: server.url + path,
    asked: toRequest(body),
    times: [] as number[],
  }));
  for (let round = -roundsBefore; round < rounds; round++)
    for (const { url, asked, times } of routes) {
      const ms = await timed(() => requestText(url, asked));
      if (round >= 0) times.push(ms);
    }
  await server.stop();
  data.remove();
  return routes.map(({ figure, times }) => toRow(figure, shown(times), "<= 1.50 ms"));
}

function toRequest(body: object | null): HttpRequest {
  const authorization = `Bearer ${firstKey}`;
  if (body === null) return { method: "GET", headers: { authorization } };
  const headers = { authorization, "content-type": "application/json" };
  return { method: "POST", headers, body: JSON.stringify(body) };
}

function shown(times: readonly number[]): string {
  return `${quantile(times, 0.5).toFixed(2)} ms (p99 ${quantile(times, 0.99).toFixed(2)} ms)`;
}
