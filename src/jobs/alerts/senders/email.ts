/** Sends alerts by e-mail over SMTP: with TLS from the start, or with STARTTLS, which only a server on this machine may lack. */
import { createTransport } from "nodemailer";
import { readRegularFileSync } from "../../../system/regular-file.js";
import type { AlertMessage, AlertSender } from "../../../core/report/alerts.js";

interface EmailSettings {
  /** `smtps://user:password@host:465`, or `smtp://...` for STARTTLS. */
  readonly url: string;
  /** The sender's address. */
  readonly from: string;
  /** PEM file of the authority of the server's certificate; null: those that Node.js knows. */
  readonly caFile: string | null;
}

const timeoutMs = 10_000;
const caFileBytesMax = 1024 * 1024;

/** Creates the sender of e-mail. @param settings null: none is configured, and nothing can be sent. */
export function createEmailSender(settings: EmailSettings | null): AlertSender {
  return {
    check() {
      if (settings === null) throw new Error("needs the settings smtpUrl and smtpFrom");
    },
    async send({ id, target, body, isOfTeam }, signal) {
      if (settings === null) throw new Error("the settings smtpUrl and smtpFrom are not set");
      signal.throwIfAborted();
      const message = JSON.parse(body) as AlertMessage;
      const sent = createTransport(createOptions(settings)).sendMail({
        from: settings.from,
        to: { name: "", address: target },
        subject: writeSubject(message),
        text: writeText(message),
        // Repeated attempts have the same id, by which mail programs recognise them.
        messageId: `<${id}@hearth.invalid>`,
        headers: { "auto-submitted": "auto-generated" },
        disableFileAccess: true,
        disableUrlAccess: true,
      });
      const aborted = new Promise<never>((_, reject) => {
        signal.addEventListener("abort", () => reject(readReason(signal)), { once: true });
      });
      // A connection that is given up ends by its own time limits.
      await Promise.race([sent, aborted]).catch((thrown: unknown) => {
        // What the operator's mail server says is not for a team.
        throw isOfTeam ? new Error("the mail server did not take the message") : thrown;
      });
    },
  };
}

function createOptions({ url, caFile }: EmailSettings) {
  const { protocol, hostname, port, username, password } = new URL(url);
  const isSecure = protocol === "smtps:";
  const isLocal = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname);
  return {
    host: hostname.replace(/^\[|\]$/g, ""),
    port: Number(port || (isSecure ? 465 : 587)),
    secure: isSecure,
    requireTLS: !isSecure && !isLocal,
    auth:
      username === ""
        ? undefined
        : { user: decodeURIComponent(username), pass: decodeURIComponent(password) },
    tls: {
      minVersion: "TLSv1.2",
      ca: caFile === null ? undefined : readRegularFileSync(caFile, caFileBytesMax),
    } as const,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
  };
}

function readReason({ reason }: AbortSignal): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}

function writeSubject({ type, data }: AlertMessage): string {
  const state = type === "alert.resolved" ? "resolved: " : type === "alert.repeated" ? "still: " : "";
  return `[Hearth] ${state}${data.message}`.slice(0, 200);
}

function writeText({ data }: AlertMessage): string {
  const lines = [
    data.message,
    "",
    ...(data.teamName === null ? [] : [`Team: ${data.teamName} (${data.teamId ?? ""})`]),
    `Alert: ${data.kind}${data.alertId === null ? "" : ` ${data.alertId}`}`,
    `Since: ${data.raisedTime}`,
    ...(data.resolvedTime === null ? [] : [`Until: ${data.resolvedTime}`]),
    ...Object.entries(data.details).map(([name, value]) => `${name}: ${String(value)}`),
  ];
  return `${lines.join("\n")}\n`;
}
