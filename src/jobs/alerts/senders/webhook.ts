/**
 * Posts alerts to webhooks, signed. The address is resolved and checked before the connection, which uses it; redirects are not
 * followed, and of the answer only its status counts.
 */
import { fetch as undiciFetch } from "undici";
import type { AlertSender } from "../../../core/report/alerts.js";
import { isPublicAddress } from "../../../network/addresses.js";
import { createGuardedAgent } from "../../../network/guarded-agent.js";
import type { AllowedReceivers } from "./receivers.js";
import { signatureHeaders } from "./signature.js";

interface WebhookDeps {
  readonly receivers: AllowedReceivers;
  readonly version: string;
}

const connectMsMax = 10_000;
const headerBytesMax = 16 * 1024;
/** What a team reads of every failure before an answer: one sentence, so that it cannot distinguish names and addresses of the network. */
const unreachable = "the receiver could not be reached at a public address";

/** Creates the sender of webhooks. */
export function createWebhookSender({ receivers, version }: WebhookDeps): AlertSender {
  return {
    check: (target, isOfTeam) => void checkedUrl(target, receivers, isOfTeam),
    async send({ id, target, secret, body, time, isOfTeam }, signal) {
      const url = checkedUrl(target, receivers, isOfTeam);
      const agent = createGuardedAgent({
        isAllowed: (address) =>
          isPublicAddress(address) || isPrivateAllowed(address, url, receivers, isOfTeam),
        headerBytesMax,
        connectMsMax,
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
        if (!response.ok)
          throw new RefusedMessage(`the receiver answered with the status ${response.status}`);
      } catch (thrown) {
        throw isOfTeam && !(thrown instanceof RefusedMessage) ? new Error(unreachable) : readReason(thrown);
      } finally {
        void agent.destroy().catch(() => undefined);
      }
    },
  };
}

/** The receiver's answer is what is wrong. */
class RefusedMessage extends Error {}

function isPrivateAllowed(
  address: string,
  url: URL,
  receivers: AllowedReceivers,
  isOfTeam: boolean,
): boolean {
  if (!isOfTeam) return receivers.forServer.name(address, url);
  const hosts = receivers.forTeam(url);
  // A name of the team's own could lead there otherwise.
  return hosts.allow(url) && hosts.name(address, url);
}

function checkedUrl(target: string, receivers: AllowedReceivers, isOfTeam: boolean): URL {
  const url = URL.canParse(target) ? new URL(target) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) throw new Error("must be an https URL");
  if (url.username !== "" || url.password !== "") throw new Error("must not have a user name or a password");
  const hosts = isOfTeam ? receivers.forTeam(url) : receivers.forServer;
  if (url.protocol === "http:" && !hosts.allow(url))
    throw new Error(
      isOfTeam
        ? "must be an https URL"
        : "must be an https URL; plain http is for hosts in the setting alertHosts",
    );
  return url;
}

/** The cause of a failed `fetch` says what was wrong. */
function readReason(thrown: unknown): Error {
  if (!(thrown instanceof Error)) return new Error(String(thrown));
  return thrown.cause instanceof Error && thrown.cause.message !== "" ? thrown.cause : thrown;
}
