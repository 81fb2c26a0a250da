/** HTTP without a network: a request and its answer in this process, so that nothing but the simulated clock takes time. */
import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";

export interface SimulatedRequest {
  readonly method: "GET" | "POST" | "DELETE";
  readonly path: string;
  readonly key: string;
  readonly body?: object;
  /** A form with a file, instead of a body. */
  readonly form?: Form;
}

interface Form {
  readonly name: string;
  readonly text: string;
  readonly fields: Readonly<Record<string, string>>;
}

const boundary = "simulated-form";

/** What came of a request: its whole answer, or null when the connection broke before the end of it. */
export type ExchangeEnd = { readonly status: number; readonly text: string } | null;

export interface Exchange {
  /** Null while the answer is not complete. */
  readonly outcome: ExchangeEnd | undefined;
  /** Breaks the connection. */
  leave(): void;
}

/** Handles one request, as Node's HTTP server calls it. */
export type Handler = (req: IncomingMessage, res: ServerResponse) => void;

/** A connection without a network: what the server writes is discarded, because the answer is read from the response. */
class SimulatedSocket extends Socket {
  override readonly remoteAddress = "127.0.0.1";

  override _write(_chunk: unknown, _encoding: string, done: () => void): void {
    done();
  }

  override _writev(_chunks: unknown, done: () => void): void {
    done();
  }

  override _final(done: () => void): void {
    done();
  }

  override _read(): void {
    // Nothing comes after the request.
  }
}

/** Collects the body that a handler writes. */
class CollectingResponse extends ServerResponse {
  readonly chunks: Buffer[] = [];

  override write(chunk: string | Uint8Array, ...rest: never[]): boolean {
    this.#collect(chunk);
    return super.write(chunk, ...rest);
  }

  override end(...args: never[]): this {
    const [chunk] = args as unknown[];
    this.#collect(chunk);
    return super.end(...args);
  }

  #collect(chunk: unknown): void {
    if (typeof chunk === "string") this.chunks.push(Buffer.from(chunk));
    else if (chunk instanceof Uint8Array) this.chunks.push(Buffer.from(chunk));
  }
}

/**
 * Sends a request.
 * @param ended called once, when the answer is complete or the connection has broken.
 */
export function send(
  handle: Handler,
  request: SimulatedRequest,
  ended: (outcome: ExchangeEnd) => void,
): Exchange {
  const socket = new SimulatedSocket();
  const req = incoming(socket, request);
  const res = new CollectingResponse(req);
  let outcome: ExchangeEnd | undefined;
  const end = (came: ExchangeEnd): void => {
    if (outcome !== undefined) return;
    outcome = came;
    ended(came);
  };
  res.assignSocket(socket);
  res.once("finish", () => {
    end({ status: res.statusCode, text: Buffer.concat(res.chunks).toString() });
    socket.destroy();
  });
  socket.once("close", () => end(null));
  handle(req, res);
  return {
    get outcome() {
      return outcome;
    },
    leave: () => void socket.destroy(),
  };
}

/** Returns the request as Node's HTTP parser presents it. */
function incoming(socket: Socket, request: SimulatedRequest): IncomingMessage {
  const req = new IncomingMessage(socket);
  const { body: json, form } = request;
  const body = form !== undefined ? writeForm(form) : json === undefined ? "" : JSON.stringify(json);
  const contentType = form === undefined ? "application/json" : `multipart/form-data; boundary=${boundary}`;
  Object.assign(req, {
    method: request.method,
    url: request.path,
    httpVersion: "1.1",
    httpVersionMajor: 1,
    httpVersionMinor: 1,
    headers: {
      host: "localhost",
      authorization: `Bearer ${request.key}`,
      "content-type": contentType,
      "content-length": String(Buffer.byteLength(body)),
    },
    complete: true,
  });
  req.push(body);
  req.push(null);
  return req;
}

function writeForm({ name, text, fields }: Form): string {
  const part = (disposition: string, content: string): string =>
    `--${boundary}\r\ncontent-disposition: form-data; ${disposition}\r\n\r\n${content}\r\n`;
  const parts = Object.entries(fields).map(([field, value]) => part(`name="${field}"`, value));
  return `${parts.join("")}${part(`name="file"; filename="${name}"`, text)}--${boundary}--\r\n`;
}
