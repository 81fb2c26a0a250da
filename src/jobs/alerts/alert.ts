/** Alerts, the channels that they are sent to, and their deliveries. Times are milliseconds since the epoch. */
import type { Row } from "../../store/tables.js";

/** Where alerts are sent. */
export type AlertChannel = Row<"alertChannels">;

export type ChannelKind = AlertChannel["kind"];

/** A condition that was reported to channels. */
export type Alert = Row<"alerts">;

/** What is wrong now. */
export type Condition = Pick<Alert, "kind" | "subject" | "teamId" | "message" | "details">;

/** A message to one channel. */
export type AlertDelivery = Row<"alertDeliveries">;
