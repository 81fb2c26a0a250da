/** Alerts, the channels that they are sent to, and their deliveries. Times are milliseconds since the epoch. */
import type { AlertDetails, AlertEvent, AlertKind } from "../../core/report/alerts.js";
import type { Ticks } from "../../core/money.js";

export type ChannelKind = "webhook" | "email";

/** Where alerts are sent. */
export interface AlertChannel {
  readonly id: string;
  /** It gets the alerts of this team; null: all, those of the server included. */
  readonly teamId: string | null;
  readonly kind: ChannelKind;
  /** URL of a webhook, or an e-mail address. */
  readonly target: string;
  /** What webhooks are signed with; null for e-mail. */
  readonly secret: string | null;
  /** It gets an alert when the credit of a team falls below this; null: below the setting's amount. */
  readonly creditTicks: Ticks | null;
  readonly createTime: number;
}

/** What is wrong now. */
export interface Condition {
  readonly kind: AlertKind;
  /** Identifies it among those of its kind: the same while it goes on. */
  readonly subject: string;
  /** null: the whole server. */
  readonly teamId: string | null;
  /** One sentence. */
  readonly message: string;
  readonly details: AlertDetails;
}

/** A condition that was reported to channels. */
export interface Alert extends Condition {
  readonly id: string;
  readonly raiseTime: number;
  /** When its last message was written. */
  readonly sendTime: number;
  /** null: it goes on. */
  readonly resolveTime: number | null;
}

export type DeliveryState = "queued" | "delivered" | "dead";

/** A message to one channel. */
export interface AlertDelivery {
  /** The `webhook-id`: the same in every attempt. */
  readonly id: string;
  readonly channelId: string;
  /** null: a test. */
  readonly alertId: string | null;
  readonly event: AlertEvent;
  /** JSON text. */
  readonly body: string;
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly nextTime: number;
  readonly createTime: number;
  readonly endTime: number | null;
  /** Why the last attempt failed. */
  readonly error: string | null;
}
