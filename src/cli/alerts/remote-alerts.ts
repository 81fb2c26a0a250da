/** Alerts, channels and deliveries of a running server. */
import { z } from "zod";
import { getJson, request, type ChatServer } from "../chat-client.js";

const alert = z.looseObject({
  alertId: z.string(),
  kind: z.string(),
  teamId: z.string().optional(),
  message: z.string(),
  raisedTime: z.string(),
  resolvedTime: z.string().optional(),
});
const channel = z.looseObject({
  channelId: z.string(),
  teamId: z.string().optional(),
  kind: z.string(),
  target: z.string(),
  creditBelowUsd: z.string().optional(),
  secret: z.string().optional(),
});
const delivery = z.looseObject({
  deliveryId: z.string(),
  channelId: z.string(),
  event: z.string(),
  state: z.string(),
  attempts: z.number(),
  createTime: z.string(),
  error: z.string().optional(),
});

export type RemoteAlert = z.infer<typeof alert>;
export type RemoteChannel = z.infer<typeof channel>;
export type RemoteDelivery = z.infer<typeof delivery>;

const alertsPath = "/admin/alerts";
const channelsPath = `${alertsPath}/channels`;

/** A channel as it is added, by the names of the API. */
export interface ChannelRequest {
  readonly teamId?: string;
  readonly kind: "webhook" | "email";
  readonly target: string;
  readonly creditBelowUsd?: string;
}

/** Each function throws an Error with the server's message. */
export async function listAlerts(server: ChatServer, teamId: string | null): Promise<readonly RemoteAlert[]> {
  const answer = await getJson(server, alertsPath + writeQuery(teamId));
  return z.object({ alerts: z.array(alert) }).parse(answer).alerts;
}

export async function listChannels(
  server: ChatServer,
  teamId: string | null,
): Promise<readonly RemoteChannel[]> {
  const answer = await getJson(server, channelsPath + writeQuery(teamId));
  return z.object({ channels: z.array(channel) }).parse(answer).channels;
}

export async function listDeliveries(
  server: ChatServer,
  teamId: string | null,
): Promise<readonly RemoteDelivery[]> {
  const answer = await getJson(server, `${alertsPath}/deliveries${writeQuery(teamId)}`);
  return z.object({ deliveries: z.array(delivery) }).parse(answer).deliveries;
}

export async function addChannel(server: ChatServer, added: ChannelRequest): Promise<RemoteChannel> {
  const headers = { "content-type": "application/json" };
  const sent = { method: "POST", headers, body: JSON.stringify(added) };
  return channel.parse(await (await request(server, channelsPath, sent)).json());
}

export async function removeChannel(server: ChatServer, id: string): Promise<void> {
  await request(server, `${channelsPath}/${encodeURIComponent(id)}`, { method: "DELETE" });
}

/** Queues a test. */
export async function testChannel(server: ChatServer, id: string): Promise<RemoteDelivery> {
  const path = `${channelsPath}/${encodeURIComponent(id)}/test`;
  return delivery.parse(await (await request(server, path, { method: "POST" })).json());
}

function writeQuery(teamId: string | null): string {
  return teamId === null ? "" : `?${new URLSearchParams({ teamId }).toString()}`;
}
