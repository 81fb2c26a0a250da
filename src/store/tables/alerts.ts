/** The types of the tables of alerts, for kysely. Times are milliseconds since the epoch; `team_id` null is the whole server. */
import type { AlertEvent, AlertKind } from "../../core/report/alerts.js";

export interface AlertChannelRow {
  id: string;
  team_id: string | null;
  kind: "webhook" | "email";
  target: string;
  secret: string | null;
  credit_ticks: number | null;
  create_time: number;
}

export interface AlertRow {
  id: string;
  team_id: string | null;
  kind: AlertKind;
  subject: string;
  message: string;
  /** JSON text. */
  details: string;
  raise_time: number;
  send_time: number;
  /** null: active. */
  resolve_time: number | null;
}

export interface AlertDeliveryRow {
  id: string;
  channel_id: string;
  alert_id: string | null;
  event: AlertEvent;
  /** JSON text. */
  body: string;
  state: "queued" | "delivered" | "dead";
  attempts: number;
  next_time: number;
  create_time: number;
  end_time: number | null;
  error: string | null;
}
