/** A WebSocket client of POST /v1/responses for tests: messages in order of arrival. */
import { once } from "node:events";
import { onTestFinished } from "vitest";
import { WebSocket } from "ws";
import type { ResponseObject } from "../../../../src/dialects/openai-responses/response-schema.js";
import { keys } from "../../../kit/server/six-keys.js";

export interface TurnMessage {
  readonly type: string;
  readonly delta?: string;
  readonly response?: ResponseObject;
  readonly status?: number;
  readonly error?: {
    readonly type: string;
    readonly code: string;
    readonly message: string;
    readonly param: string;
  };
}

export interface SocketClient {
  readonly socket: WebSocket;
  send(message: object | string): void;
  /** Returns the next message. @throws Error when the connection closes first */
  next(): Promise<TurnMessage>;
  /** Sends a turn. @returns its messages, up to the last event of a response or an error */
  turn(fields: object): Promise<readonly TurnMessage[]>;
  /** Sends a turn and returns its response. */
  respond(fields: object): Promise<ResponseObject>;
  /** Sends a turn and returns its error. */
  refusal(fields: object): Promise<TurnMessage>;
}

const last = /^(response\.(completed|incomplete|failed)|error)$/;

/** Opens a WebSocket that is closed when the test ends. */
export async function connect(url: string, key: string = keys.ada): Promise<SocketClient> {
  const socket = new WebSocket(`${url.replace(/^http/, "ws")}/v1/responses`, {
    headers: { authorization: `Bearer ${key}` },
  });
  onTestFinished(() => socket.terminate());
  const received: TurnMessage[] = [];
  let wake = (): void => undefined;
  socket.on("message", (data: Buffer) => {
    received.push(JSON.parse(data.toString()) as TurnMessage);
    wake();
  });
  socket.on("close", () => wake());
  await once(socket, "open");
  const next = async (): Promise<TurnMessage> => {
    for (;;) {
      const message = received.shift();
      if (message !== undefined) return message;
      if (socket.readyState === WebSocket.CLOSED) throw new Error("the connection is closed");
      await new Promise<void>((resolve) => (wake = resolve));
    }
  };
  const send = (message: object | string): void =>
    socket.send(typeof message === "string" ? message : JSON.stringify(message));
  const turn = async (fields: object): Promise<readonly TurnMessage[]> => {
    send({ type: "response.create", model: "ember-1m", ...fields });
    const messages = [await next()];
    while (!last.test(messages.at(-1)?.type ?? "")) messages.push(await next());
    return messages;
  };
  const lastOf = async (fields: object): Promise<TurnMessage> => {
    const message = (await turn(fields)).at(-1);
    if (message === undefined) throw new Error("no message");
    return message;
  };
  return {
    socket,
    send,
    next,
    turn,
    async respond(fields) {
      const message = await lastOf(fields);
      if (message.response === undefined) throw new Error(JSON.stringify(message));
      return message.response;
    },
    refusal: lastOf,
  };
}
