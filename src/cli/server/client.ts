/** Requests of commands to a server at an address, with a key. */

export type Fetch = (url: string, init?: RequestInit) => Promise<Response>;

export interface ChatServer {
  readonly url: string;
  readonly key: string;
  /** Sends requests instead of the global `fetch`. */
  readonly fetch?: Fetch;
}

/** The server answered with an error; the message is its own. */
export class ServerError extends Error {
  readonly status: number;

  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}

/** Sends a request and returns the JSON of the answer. @throws ServerError with the server's message if it returns an error. */
export async function askServer<Answer>(
  server: ChatServer,
  path: string,
  { method = "GET", body }: { readonly method?: "GET" | "POST" | "DELETE"; readonly body?: unknown } = {},
): Promise<Answer> {
  const response = await openAnswer(server, path, {
    method,
    ...(body !== undefined && {
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    }),
  });
  return (await response.json()) as Answer;
}

/** Sends a request and returns the answer. @throws ServerError with the server's message if it returns an error. */
export async function openAnswer(
  server: ChatServer,
  path: string,
  init: RequestInit = {},
): Promise<Response> {
  const response = await (server.fetch ?? fetch)(`${server.url}${path}`, {
    ...init,
    headers: {
      authorization: `Bearer ${server.key}`,
      ...(init.headers as Record<string, string> | undefined),
    },
  });
  if (!response.ok) throw await readError(response);
  return response;
}

async function readError(response: Response): Promise<ServerError> {
  const unknown = new ServerError(`the server returned status ${response.status}`, response.status);
  try {
    const { error } = (await response.json()) as { readonly error?: { readonly message?: unknown } | string };
    // Routes of Ollama's interface have the message alone.
    const message = typeof error === "string" ? error : error?.message;
    return typeof message === "string" ? new ServerError(message, response.status) : unknown;
  } catch {
    return unknown;
  }
}
