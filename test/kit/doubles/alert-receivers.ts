/** What receives alerts in tests: a webhook, and a server for e-mail. */
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import { onTestFinished, vi } from "vitest";
import type { AlertMessage } from "../../../src/core/report/alerts.js";

/** Resolves once the condition is true. */
export async function eventually(condition: () => boolean | Promise<boolean>): Promise<void> {
  await vi.waitUntil(condition, { interval: 5, timeout: 20_000 });
}

export interface ReceivedWebhook {
  readonly headers: IncomingHttpHeaders;
  /** The text as it came. */
  readonly body: string;
  readonly message: AlertMessage;
}

export interface WebhookReceiver {
  /** `127.0.0.1` and a port, as the setting `alertHosts` names it. */
  readonly host: string;
  readonly url: string;
  readonly received: readonly ReceivedWebhook[];
  /** The status that it answers with from now on. */
  answer(status: number): void;
}

/** Starts a receiver on a free port. @param location where the answer redirects to */
export async function startReceiver(location?: string): Promise<WebhookReceiver> {
  const received: ReceivedWebhook[] = [];
  let status = 204;
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8");
    request.on("data", (chunk: string) => (body += chunk));
    request.on("end", () => {
      received.push({ headers: request.headers, body, message: JSON.parse(body) as AlertMessage });
      response.writeHead(status, location === undefined ? {} : { location }).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => new Promise<void>((resolve) => void server.close(() => resolve())));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { host, url: `http://${host}/hook`, received, answer: (next) => (status = next) };
}

export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** With its header, as it came. */
  readonly text: string;
  readonly isEncrypted: boolean;
  readonly user: string | null;
}

/** Starts a server for e-mail that takes the password `secret` of anybody. */
export async function startMailServer(options: SMTPServerOptions = {}) {
  const received: ReceivedMail[] = [];
  let reason: string | null = null;
  const server = new SMTPServer({
    authOptional: true,
    ...options,
    onAuth: ({ username = "", password }, _, done) =>
      password === "secret" ? done(null, { user: username }) : done(new Error("wrong password")),
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        if (reason !== null) return done(new Error(reason));
        const { mailFrom, rcptTo } = session.envelope;
        received.push({
          from: mailFrom === false ? "" : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          text: Buffer.concat(chunks).toString("utf8"),
          isEncrypted: session.secure,
          user: typeof session.user === "string" ? session.user : null,
        });
        done();
      });
    },
  });
  // A client that refuses the certificate ends the connection.
  server.on("error", () => undefined);
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  const { port } = server.server.address() as AddressInfo;
  return { port, received, refuse: (why: string | null) => (reason = why) };
}
