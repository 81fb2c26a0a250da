/** A server on 127.0.0.1 that answers what scripts say. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { setImmediate } from "node:timers/promises";
import { check } from "../../../checks/violation.js";
import { listen, readBody } from "../../../world/http-server.js";
import { hasDone, numbered, placePrompt, wholeText, type EngineAnswer, type EngineScript } from "./script.js";

/** What a reader may take of an answer that never ends: its own bound, and what is on the way. */
const takenBytesMax = 50_331_648;
/** Beyond what an answer may have, so that it ends with a whole character. */
const extraTokensMax = 17;
const endlessPieceCharacters = 65_536;

export class FuzzedServer {
  readonly url: string;
  #script: EngineScript | null = null;
  #isInPieces = false;
  #requests = 0;
  #problems: Error[] = [];
  /** Answers that have said that they end, and whose connections stay open. */
  readonly #open = new Set<ServerResponse>();

  private constructor(url: string) {
    this.url = url;
  }

  static async start(): Promise<FuzzedServer> {
    const server = createServer((request, response) => void scripted.#handle(request, response));
    const scripted = new FuzzedServer(await listen(server));
    server.unref();
    return scripted;
  }

  /** Answers by a script while an action runs. @throws Violation for a request or an answer beyond its bounds */
  async during<T>(script: EngineScript, isInPieces: boolean, action: () => Promise<T>): Promise<T> {
    this.#script = script;
    this.#isInPieces = isInPieces;
    this.#requests = 0;
    this.#problems = [];
    try {
      const result = await action();
      const [problem] = this.#problems;
      if (problem !== undefined) throw problem;
      return result;
    } finally {
      this.#script = null;
      for (const response of this.#open) response.end();
      this.#open.clear();
    }
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on("error", () => undefined);
    try {
      const body = JSON.parse(await readBody(request)) as Body;
      const script = this.#script;
      if (script === null) return void response.destroy();
      const answer = script.answers[this.#requests] ?? script.answers.at(-1) ?? [];
      this.#requests += 1;
      check(this.#requests <= 2 * script.maxTokens + 40, () => `there are ${this.#requests} requests`);
      checkTokens(body, script.maxTokens);
      const placed = answer.map(({ text, times }) => ({ text: placePrompt(text, readTokens(body)), times }));
      await this.#answer(response, script, body.stream === false ? whole(placed) : placed);
    } catch (thrown) {
      this.#problems.push(thrown instanceof Error ? thrown : new Error(String(thrown)));
      response.destroy();
    }
  }

  async #answer(response: ServerResponse, script: EngineScript, answer: EngineAnswer): Promise<void> {
    response.writeHead(script.status, { "content-type": "text/event-stream" });
    const text = wholeText(answer);
    if (text === null) return writeEndless(response, answer);
    const bytes = Buffer.from(text);
    const cuts = this.#isInPieces ? script.cuts.map((cut) => cut % (bytes.length + 1)) : [];
    let from = 0;
    for (const end of [...cuts, bytes.length].sort((one, other) => one - other)) {
      if (end > from) response.write(bytes.subarray(from, end));
      from = end;
      await setImmediate();
    }
    if (script.losesConnection) response.destroy();
    else if (hasDone(text) && this.#script === script) this.#open.add(response);
    else response.end();
  }
}

interface Body {
  readonly stream?: boolean;
  readonly prompt?: readonly number[];
  readonly input_ids?: readonly number[];
  readonly n_predict?: number;
  readonly max_tokens?: number;
  readonly sampling_params?: { readonly max_new_tokens?: number };
}

function readTokens({ prompt, input_ids: ids }: Body): readonly number[] {
  return prompt ?? ids ?? [];
}

/** No request may ask for more than the answer may have. */
function checkTokens({ n_predict, max_tokens, sampling_params }: Body, tokensMax: number): void {
  const asked = n_predict ?? max_tokens ?? sampling_params?.max_new_tokens ?? 0;
  check(asked <= tokensMax + extraTokensMax, () => `a request asks for ${asked} tokens of ${tokensMax}`);
}

/** The data of the first event, as an answer that is not streamed. */
function whole([first]: EngineAnswer): EngineAnswer {
  return first === undefined ? [] : [{ text: first.text.replace(/^data: /, "").trim(), times: 1 }];
}

/** @throws Violation where the reader takes more than its bound */
async function writeEndless(response: ServerResponse, answer: EngineAnswer): Promise<void> {
  let bytes = 0;
  const write = async (text: string): Promise<void> => {
    bytes += text.length;
    check(bytes <= takenBytesMax, () => `${bytes} bytes of an answer without an end were taken`);
    if (!response.write(text)) await Promise.race([once(response, "drain"), once(response, "close")]);
  };
  for (const { text, times } of answer) {
    const piece = Math.min(times, Math.ceil(endlessPieceCharacters / Math.max(text.length, 1)));
    for (let nth = 0; nth < times && !response.destroyed; nth += piece)
      await write(
        Array.from({ length: Math.min(piece, times - nth) }, (_, at) => numbered(text, nth + at)).join(""),
      );
    if (response.destroyed) return;
  }
}
