/** Helpers for tests of the responses routes: a plain HTTP client that reads streams frame by frame. */
import { expect, vi } from "vitest";
import type { ResponseEvent } from "../../../src/dialects/openai-responses/event-schema.js";
import type {
  InputItemsPage,
  ResponseObject,
} from "../../../src/dialects/openai-responses/response-schema.js";
import type { ScriptStep } from "../scripted/engine.js";
import { type ScriptedSettings, startServer } from "../server.js";
import { headersOf } from "../server/requests.js";
import { keys } from "../server/six-keys.js";
import { gate } from "../until.js";

export interface ResponseResult {
  readonly status: number;
  readonly headers: Headers;
  /** The unparsed body. */
  readonly text: string;
  readonly body: unknown;
}

export interface ResponsesClient {
  /** Sends a request to a route under /v1/responses. */
  send(method: string, path: string, body?: object): Promise<ResponseResult>;
  /** Creates a response and expects status 200. */
  create(fields: object): Promise<ResponseObject>;
  /** Returns a stored response. */
  find(id: string, query?: string): Promise<ResponseObject>;
  /** Polls a response until it has this status. */
  findAs(id: string, status: ResponseObject["status"]): Promise<ResponseObject>;
  inputItems(id: string, query?: string): Promise<InputItemsPage>;
  /** Creates a response with a stream. */
  stream(fields: object): Promise<Frames>;
  /** Opens the stream of a stored response after the event of this number. */
  follow(id: string, startingAfter?: number): Promise<Frames>;
}

/** Builds a client with a key and a model. */
export function createResponsesClient(
  url: string,
  key: string = keys.ada,
  model = "ember-1m",
): ResponsesClient {
  const client = (method: string, path: string, body?: object, signal?: AbortSignal): Promise<Response> =>
    fetch(`${url}/v1/responses${path}`, {
      method,
      headers: headersOf(key),
      body: JSON.stringify(body),
      signal,
    });
  const send: ResponsesClient["send"] = async (method, path, body) => {
    const response = await client(method, path, body);
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: JSON.parse(text) as unknown };
  };
  const read = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const answered = await send(method, path, body);
    expect(answered.status, answered.text).toBe(200);
    return answered.body as T;
  };
  const stream = async (method: string, path: string, body?: object): Promise<Frames> => {
    const controller = new AbortController();
    const response = await client(method, path, body, controller.signal);
    if (response.status !== 200 || response.body === null) throw new Error(await response.text());
    return new Frames(response.body, () => controller.abort());
  };
  const find = (id: string, query = ""): Promise<ResponseObject> => read("GET", `/${id}${query}`);
  return {
    send,
    find,
    create: (fields) => read("POST", "", { model, ...fields }),
    findAs: (id, status) =>
      vi.waitFor(
        async () => {
          const found = await find(id);
          expect(found.status).toBe(status);
          return found;
        },
        { interval: 5, timeout: 30_000 },
      ),
    inputItems: (id, query = "") => read("GET", `/${id}/input_items${query}`),
    stream: (fields) => stream("POST", "", { model, stream: true, ...fields }),
    follow: (id, after) =>
      stream("GET", `/${id}?stream=true${after === undefined ? "" : `&starting_after=${after}`}`),
  };
}

/** Reads a stream step by step. */
export class Frames {
  /** The frames that were read so far. */
  readonly seen: string[] = [];
  /** Closes the connection. */
  readonly leave: () => void;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #decoder = new TextDecoder();
  #rest = "";

  constructor(body: ReadableStream<Uint8Array>, leave: () => void) {
    this.#reader = body.getReader();
    this.leave = leave;
  }

  /** Reads up to the next event of this type. */
  async until(type: ResponseEvent["type"]): Promise<ResponseEvent> {
    for (;;) {
      const frame = await this.#next();
      if (frame === null) throw new Error(`no ${type} in ${this.seen.join("")}`);
      if (frame.startsWith(`event: ${type}\n`)) return eventOf(frame);
    }
  }

  /** Reads to the end. @returns all frames. */
  async all(): Promise<readonly string[]> {
    while ((await this.#next()) !== null);
    return this.seen;
  }

  /** Reads to the end, which must be `[DONE]`. @returns all events. */
  async events(): Promise<readonly ResponseEvent[]> {
    const frames = await this.all();
    expect(frames.at(-1)).toBe("data: [DONE]\n\n");
    return frames.slice(0, -1).map(eventOf);
  }

  async #next(): Promise<string | null> {
    for (;;) {
      const end = this.#rest.indexOf("\n\n");
      if (end >= 0) {
        const frame = this.#rest.slice(0, end + 2);
        this.#rest = this.#rest.slice(end + 2);
        this.seen.push(frame);
        return frame;
      }
      const { done, value } = await this.#reader.read();
      if (done) return null;
      this.#rest += this.#decoder.decode(value, { stream: true });
    }
  }
}

/** Parses a frame. @throws Error when its name is not the type of its event. */
export function eventOf(frame: string): ResponseEvent {
  const match = /^event: (\S+)\ndata: (.*)\n\n$/.exec(frame);
  const event = JSON.parse(match?.[2] ?? "null") as ResponseEvent | null;
  if (event === null || event.type !== match?.[1]) throw new Error(`no event: ${frame}`);
  return event;
}

/** Returns the response in the last event of a stream. */
export function lastResponse(events: readonly ResponseEvent[]): ResponseObject {
  const last = events.at(-1);
  if (last === undefined || !("response" in last)) throw new Error("the stream ends with no response");
  return last.response;
}

/** Returns the text of the messages of an answer. */
export function textOf({ output }: ResponseObject): string {
  return output.map((item) => (item.type === "message" ? (item.content[0]?.text ?? "") : "")).join("");
}

/** Returns a response without ids and times, which differ each time. */
export function withoutIdsAndTimes(response: ResponseObject): object {
  return {
    ...response,
    id: "",
    created_at: 0,
    completed_at: response.completed_at === null ? null : 0,
    output: response.output.map((item) => ({
      ...item,
      id: "",
      ...("call_id" in item ? { call_id: "" } : {}),
    })),
  };
}

/** A reasoning step of a script. */
export function reasoningStep(text: string): ScriptStep {
  return { type: "reasoning-delta", choice: 0, text, tokens: text.split(" ").length };
}

/** Script steps for a tool call and the end of the answer. */
export function toolCallSteps(id: string, name: string, json: string): readonly ScriptStep[] {
  const place = { choice: 0, index: 0 } as const;
  return [
    { type: "tool-call-start", ...place, id, name, tokens: 2 },
    { type: "tool-call-delta", ...place, arguments: json, tokens: 3 },
    { type: "tool-call-end", ...place, tokens: 1 },
    { type: "generation-end", choice: 0, finishReason: "tool_calls", stopSequence: null },
  ];
}

/** A background request. */
export const inBackground = { input: "Hello", background: true } as const;

/** Starts a server that says "Good", and " day." once the gate is open. */
export async function startPausedServer(options: ScriptedSettings = {}) {
  const wait = gate();
  const server = await startServer({
    engine: (prompt) => (prompt.includes("Bye") ? ["Bye."] : ["Good", wait.opened, " day."]),
    ...options,
  });
  return { server, client: createResponsesClient(server.url), open: () => wait.open() };
}

/** Reads a stream up to its first text delta. @returns the id of the response. */
export async function readUntilText(frames: Frames): Promise<string> {
  const created = await frames.until("response.created");
  await frames.until("response.output_text.delta");
  return "response" in created ? created.response.id : "";
}
