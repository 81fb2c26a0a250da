/**
 * Posts alerts to webhooks, signed. The address is resolved and checked before the connection, which uses it; redirects are not
 * followed, and of the answer only its status counts.
 */
import { Agent, fetch as undiciFetch } from "undici";
import type { AlertSender } from "../../core/alerts/alerts.js";
import { isPublicAddress } from "../network/addresses.js";
import { dialPinned } from "../network/dial.js";
import type { AllowedHosts } from "../network/hosts.js";
import { resolveAllowed, type Lookup } from "../network/resolve.js";
import { signatureHeaders } from "./signature.js";

export interface WebhookDeps {
  /** Hosts that may have addresses that are not public, and be reached in plain text. */
  readonly allowedHosts: AllowedHosts;
  readonly lookup: Lookup;
  readonly version: string;
}

const connectMsMax = 10_000;
const headerBytesMax = 16 * 1024;

/** Creates the sender of webhooks. */
export function createWebhookSender(deps: WebhookDeps): AlertSender {
  const { allowedHosts, lookup, version } = deps;
  return {
    check: (target) => void checkedUrl(target, allowedHosts),
    async send({ id, target, secret, body, time }, signal) {
      const url = checkedUrl(target, allowedHosts);
      const isAllowed = (address: string): boolean =>
        isPublicAddress(address) || allowedHosts.name(address, url);
      const dial = dialPinned(connectMsMax);
      const agent = new Agent({
        maxHeaderSize: headerBytesMax,
        connect: (options, callback) => {
          resolveAllowed(lookup, url, isAllowed)
            .then((address) => dial(options, address, callback))
            .catch((error: unknown) =>
              callback(error instanceof Error ? error : new Error(String(error)), null),
            );
        },
      });
      try {
        const response = await undiciFetch(url, {
          method: "POST",
          headers: {
            "content-type": "application/json",
            "user-agent": `hearth/${version}`,
            ...signatureHeaders({ id, body, time }, secret ?? ""),
          },
          body,
          redirect: "manual",
          signal,
          dispatcher: agent,
        });
        await response.body?.cancel();
        if (!response.ok) throw new Error(`the receiver answered with the status ${response.status}`);
      } catch (thrown) {
        throw reasonOf(thrown);
      } finally {
        void agent.destroy().catch(() => undefined);
      }
    },
  };
}

function checkedUrl(target: string, allowedHosts: AllowedHosts): URL {
  const url = URL.canParse(target) ? new URL(target) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) throw new Error("must be an https URL");
  if (url.username !== "" || url.password !== "") throw new Error("must not have a user name or a password");
  if (url.protocol === "http:" && !allowedHosts.allow(url))
    throw new Error("must be an https URL; plain http is for hosts in the setting alertHosts");
  return url;
}

/** The cause of a failed `fetch` says what was wrong. */
function reasonOf(thrown: unknown): Error {
  if (!(thrown instanceof Error)) return new Error(String(thrown));
  return thrown.cause instanceof Error && thrown.cause.message !== "" ? thrown.cause : thrown;
}
