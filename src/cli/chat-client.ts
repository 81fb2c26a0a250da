import { EventSourceParserStream } from "eventsource-parser/stream";
import { z } from "zod";
import { ServerError } from "./server/server-error.js";

/** A message of a chat over the server's public HTTP API. */
export interface ChatTurn {
  readonly role: "system" | "user" | "assistant";
  readonly content: string;
}

export interface ChatDelta {
  readonly kind: "text" | "reasoning";
  readonly text: string;
}

export type Fetch = (url: string, init?: RequestInit) => Promise<Response>;

export interface ChatServer {
  readonly url: string;
  readonly key: string;
  /** Sends requests instead of the global `fetch`. */
  readonly fetch?: Fetch;
}

const chunk = z.object({
  choices: z.array(
    z.object({ delta: z.object({ content: z.string().nullish(), reasoning_content: z.string().nullish() }) }),
  ),
});
const failure = z.object({ error: z.object({ message: z.string() }) });
const managementFailure = z.object({ message: z.string() });
const modelList = z.object({ models: z.array(z.object({ id: z.string() })) });

/** Returns the ids of the models that the key may chat with. @throws Error with the server's message. */
export async function listModels(server: ChatServer): Promise<readonly string[]> {
  return modelList.parse(await getJson(server, "/v1/language-models")).models.map((model) => model.id);
}

/** Sends a GET request and returns the JSON body. @throws Error with the server's message if it returns an error. */
export async function getJson(server: ChatServer, path: string): Promise<unknown> {
  return (await request(server, path)).json();
}

/** Sends a request with the key. @throws Error with the server's message if it returns an error. */
export async function request(server: ChatServer, path: string, init: RequestInit = {}): Promise<Response> {
  const response = await (server.fetch ?? fetch)(`${server.url}${path}`, {
    ...init,
    headers: { ...headers(server), ...(init.headers as Record<string, string> | undefined) },
  });
  if (!response.ok) throw await readError(response);
  return response;
}

/**
 * Streams one response.
 * @throws Error with the server's message if it returns an error; the signal's reason if aborted.
 */
export async function* streamChat(
  server: ChatServer,
  model: string,
  messages: readonly ChatTurn[],
  signal: AbortSignal,
): AsyncGenerator<ChatDelta> {
  const response = await request(server, "/v1/chat/completions", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model, messages, stream: true }),
    signal,
  });
  if (response.body === null) return;
  const frames = response.body
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream());
  for await (const frame of frames) {
    if (frame.data === "[DONE]") return;
    yield* listDeltas(JSON.parse(frame.data));
  }
}

function* listDeltas(data: unknown): Generator<ChatDelta> {
  const failed = failure.safeParse(data);
  if (failed.success) throw new Error(failed.data.error.message);
  for (const { delta } of chunk.parse(data).choices) {
    if (delta.reasoning_content) yield { kind: "reasoning", text: delta.reasoning_content };
    if (delta.content) yield { kind: "text", text: delta.content };
  }
}

function headers(server: ChatServer): Record<string, string> {
  return { authorization: `Bearer ${server.key}` };
}

async function readError(response: Response): Promise<Error> {
  const text = await response.text();
  try {
    const body: unknown = JSON.parse(text);
    const failed = failure.safeParse(body);
    return new ServerError(
      failed.success ? failed.data.error.message : managementFailure.parse(body).message,
    );
  } catch {
    return new ServerError(`the server returned status ${response.status}`);
  }
}
