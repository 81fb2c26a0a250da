import { Agent, request, type OutgoingHttpHeaders } from "node:http";

/** One connection, kept: what is measured is requests, not connecting. */
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

export interface Asked {
  readonly method: string;
  readonly headers: OutgoingHttpHeaders;
  readonly body?: string;
}

/**
 * Asks and reads to the end, with Node's plainest client, so that as little as can be of what is measured is the client's.
 * @throws Error with the body of any answer but 200.
 */
export function ask(url: string, { method, headers, body }: Asked): Promise<string> {
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

/** Milliseconds. */
export async function timed(action: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await action();
  return performance.now() - began;
}
