/** What a channel receives. */
import type { AlertEvent, AlertMessage } from "../../core/report/alerts.js";
import type { Alert, AlertChannel, AlertDelivery } from "./alert.js";

/** Returns the body of a message about an alert. */
export function alertMessage(
  event: Exclude<AlertEvent, "test">,
  alert: Alert,
  { teamName, now }: { readonly teamName: string | null; readonly now: number },
): AlertMessage {
  return {
    type: `alert.${event}`,
    timestamp: rfc3339(now),
    data: {
      alertId: alert.id,
      kind: alert.kind,
      teamId: alert.teamId,
      teamName,
      message: alert.message,
      details: alert.details,
      raisedTime: rfc3339(alert.raiseTime),
      resolvedTime: alert.resolveTime === null ? null : rfc3339(alert.resolveTime),
    },
  };
}

/** Returns the body of a test. */
export function testMessage({ teamId }: AlertChannel, teamName: string | null, now: number): AlertMessage {
  return {
    type: "alert.test",
    timestamp: rfc3339(now),
    data: {
      alertId: null,
      kind: "test",
      teamId,
      teamName,
      message: "This is a test: alerts reach this channel.",
      details: {},
      raisedTime: rfc3339(now),
      resolvedTime: null,
    },
  };
}

/** Returns a delivery that is due at once. @param id its `webhook-id` */
export function newDelivery(
  id: string,
  { id: channelId }: AlertChannel,
  message: AlertMessage,
  now: number,
): AlertDelivery {
  const event = message.type.slice("alert.".length) as AlertEvent;
  return {
    id,
    channelId,
    alertId: message.data.alertId,
    event,
    body: JSON.stringify(message),
    state: "queued",
    attempts: 0,
    nextTime: now,
    createTime: now,
    endTime: null,
    error: null,
  };
}

function rfc3339(time: number): string {
  return new Date(time).toISOString();
}
