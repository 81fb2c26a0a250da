import { Agent, request, type OutgoingHttpHeaders } from "node:http";

/** One keep-alive connection, so that connecting is not measured. */
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

export interface HttpRequest {
  readonly method: string;
  readonly headers: OutgoingHttpHeaders;
  readonly body?: string;
}

/**
 * Sends a request and reads the body, with Node's plain client to keep the client's share of the time small.
 * @throws Error with the body if the status is not 200
 */
export function ask(url: string, { method, headers, body }: HttpRequest): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, agent }, (answer) => {
      let text = "";
      answer.setEncoding("utf8");
      answer.on("data", (piece: string) => (text += piece));
      answer.on("end", () => {
        if (answer.statusCode === 200) resolve(text);
        else reject(new Error(text));
      });
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

/** Returns the duration of an action in milliseconds. */
export async function timed(action: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await action();
  return performance.now() - began;
}
