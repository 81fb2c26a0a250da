/** Alerts, and where they are sent. */
import type { z } from "zod";
import type {
  alertSchema,
  alertsSchema,
  channelSchema,
  channelsSchema,
  deliveriesSchema,
  deliverySchema,
  newChannelSchema,
} from "../../http/management/alerts/present-alerts.js";
import { get, request } from "../lib/client.js";

export type Alert = z.infer<typeof alertSchema>;
export type Channel = z.infer<typeof channelSchema>;
export type NewChannel = z.infer<typeof newChannelSchema>;
export type Delivery = z.infer<typeof deliverySchema>;

/** A team; undefined: everything that the member may see. */
type TeamId = string | undefined;

/** Returns the alerts that go on, then the newest. */
export async function listAlerts(teamId: TeamId, signal: AbortSignal): Promise<readonly Alert[]> {
  return (await get<z.infer<typeof alertsSchema>>("/admin/alerts", { teamId }, signal)).alerts;
}

export async function listChannels(teamId: TeamId, signal: AbortSignal): Promise<readonly Channel[]> {
  return (await get<z.infer<typeof channelsSchema>>("/admin/alerts/channels", { teamId }, signal)).channels;
}

/** Returns the newest messages to channels. */
export async function listDeliveries(teamId: TeamId, signal: AbortSignal): Promise<readonly Delivery[]> {
  const path = "/admin/alerts/deliveries";
  return (await get<z.infer<typeof deliveriesSchema>>(path, { teamId }, signal)).deliveries;
}

/** Adds a channel. The answer has the secret of a webhook. */
export function addChannel(channel: {
  readonly teamId: TeamId;
  readonly kind: Channel["kind"];
  readonly target: string;
  readonly creditBelowUsd: string | undefined;
}): Promise<NewChannel> {
  return request("POST", "/admin/alerts/channels", { body: channel });
}

export function removeChannel({ channelId }: Channel): Promise<unknown> {
  return request("DELETE", `/admin/alerts/channels/${channelId}`);
}

/** Queues a test. */
export function testChannel({ channelId }: Channel): Promise<Delivery> {
  return request("POST", `/admin/alerts/channels/${channelId}/test`);
}
