/** What operators are alerted to, what is sent of it, and the ports that send it. */

export const alertKinds = [
  "budget_soft",
  "budget_hard",
  "credit_low",
  "model_unavailable",
  "error_rate",
  "disk_low",
] as const;

export type AlertKind = (typeof alertKinds)[number];

/** Why a message is sent: an alert began, goes on, or is over; or somebody tests the channel. */
export type AlertEvent = "raised" | "repeated" | "resolved" | "test";

/** Values that describe an alert, by their names in the message. */
export type AlertDetails = Readonly<Record<string, string | number | null>>;

/** The body of a message. */
export interface AlertMessage {
  readonly type: `alert.${AlertEvent}`;
  /** RFC 3339. */
  readonly timestamp: string;
  readonly data: {
    readonly alertId: string | null;
    readonly kind: AlertKind | "test";
    /** null: it is about the whole server. */
    readonly teamId: string | null;
    readonly teamName: string | null;
    /** One sentence. */
    readonly message: string;
    readonly details: AlertDetails;
    readonly raisedTime: string;
    readonly resolvedTime: string | null;
  };
}

/** One attempt to deliver a message. */
interface Delivery {
  /** The same in every attempt, so that a receiver recognises repeated ones. */
  readonly id: string;
  /** URL of a webhook, or an e-mail address. */
  readonly target: string;
  /** The secret of a webhook, `whsec_` and base64; null for e-mail. */
  readonly secret: string | null;
  /** Whether the channel is of a team, which must not learn what the server can reach. */
  readonly isOfTeam: boolean;
  /** JSON text of an `AlertMessage`. */
  readonly body: string;
  /** Time of the attempt: milliseconds since the epoch. */
  readonly time: number;
}

/** Sends messages of one kind of channel. Implementations: jobs/alerts/senders/. */
export interface AlertSender {
  /** @throws Error that says why a target can never be sent to; absent of a sender: any target can. */
  check(target: string, isOfTeam: boolean): void;
  /** Resolves when the receiver has accepted the message. @throws Error that says why it has not; to a team, only what its receiver has answered. */
  send(delivery: Delivery, signal: AbortSignal): Promise<void>;
}
