/** Signatures of webhooks, as Standard Webhooks (standardwebhooks.com) has them: HMAC-SHA256 over id, time and body. */
import { createHmac } from "node:crypto";

const secretPrefix = "whsec_";

/** Returns the headers of a webhook. @param time of the attempt, in milliseconds since the epoch. */
export function signatureHeaders(
  { id, body, time }: { readonly id: string; readonly body: string; readonly time: number },
  secret: string,
): Readonly<Record<string, string>> {
  const seconds = String(Math.floor(time / 1000));
  const key = Buffer.from(secret.slice(secretPrefix.length), "base64");
  const signature = createHmac("sha256", key).update(`${id}.${seconds}.${body}`).digest("base64");
  return {
    "webhook-id": id,
    "webhook-timestamp": seconds,
    "webhook-signature": `v1,${signature}`,
  };
}

/** Returns a signing secret. @param bytes 24 to 64 random bytes. */
export function webhookSecret(bytes: Uint8Array): string {
  return secretPrefix + Buffer.from(bytes).toString("base64");
}
