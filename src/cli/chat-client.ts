import { EventSourceParserStream } from "eventsource-parser/stream";
import { z } from "zod";

/** A chat over a server's own HTTP interface, as any client would speak to it. */
export interface ChatTurn {
  readonly role: "system" | "user" | "assistant";
  readonly content: string;
}

export interface ChatPiece {
  readonly kind: "text" | "reasoning";
  readonly text: string;
}

export interface ChatServer {
  readonly url: string;
  readonly key: string;
}

const chunk = z.object({
  choices: z.array(
    z.object({ delta: z.object({ content: z.string().nullish(), reasoning_content: z.string().nullish() }) }),
  ),
});
const failure = z.object({ error: z.object({ message: z.string() }) });
const modelList = z.object({ models: z.array(z.object({ id: z.string() })) });

/** The ids of the models that the key may chat with. @throws Error with the server's own message. */
export async function listModels(server: ChatServer): Promise<readonly string[]> {
  return modelList.parse(await getJson(server, "/v1/language-models")).models.map((model) => model.id);
}

/** What the server answers to a GET. @throws Error with the server's own message when it refuses. */
export async function getJson(server: ChatServer, path: string): Promise<unknown> {
  const answer = await fetch(`${server.url}${path}`, { headers: headers(server) });
  if (!answer.ok) throw await refusal(answer);
  return answer.json();
}

/**
 * Streams one answer.
 * @throws Error with the server's message when it refuses or fails; the signal's reason when aborted.
 */
export async function* streamChat(
  server: ChatServer,
  model: string,
  messages: readonly ChatTurn[],
  signal: AbortSignal,
): AsyncGenerator<ChatPiece> {
  const answer = await fetch(`${server.url}/v1/chat/completions`, {
    method: "POST",
    headers: { ...headers(server), "content-type": "application/json" },
    body: JSON.stringify({ model, messages, stream: true }),
    signal,
  });
  if (!answer.ok || answer.body === null) throw await refusal(answer);
  const frames = answer.body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
  for await (const frame of frames) {
    if (frame.data === "[DONE]") return;
    yield* pieces(JSON.parse(frame.data));
  }
}

function* pieces(data: unknown): Generator<ChatPiece> {
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

async function refusal(answer: Response): Promise<Error> {
  const text = await answer.text();
  try {
    return new Error(failure.parse(JSON.parse(text)).error.message);
  } catch {
    return new Error(`the server answered ${answer.status}`);
  }
}
