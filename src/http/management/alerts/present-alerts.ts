/** Alerts, channels and deliveries in answers of the management API. */
import { z } from "zod";
import { alertKinds } from "../../../core/report/alerts.js";
import { responseArray, responseObject } from "../../../dialects/response-fields.js";
import type { AlertDelivery } from "../../../jobs/alerts/alert.js";
import { timeSchema, timestamp } from "../../../dialects/management/answers.js";

const serverWide = "absent: the whole server.";

const alertSchema = responseObject({
  alertId: z.string(),
  kind: z.enum(alertKinds),
  teamId: z.string().optional().describe(`The team that it is about; ${serverWide}`),
  message: z.string().describe("One sentence."),
  details: z
    .record(z.string(), z.union([z.string(), z.number(), z.null()]))
    .describe("What the kind of alert has, such as `spentUsd`."),
  raisedTime: timeSchema,
  sentTime: timeSchema.describe("When its last message was written."),
  resolvedTime: timeSchema.optional().describe("Absent while it goes on."),
}).meta({ id: "Alert" });

export type WireAlert = z.infer<typeof alertSchema>;

export const alertsSchema = responseObject({
  alerts: responseArray(alertSchema).describe("Up to 200: those that go on first, then the newest."),
}).meta({ id: "AlertList" });

const channelFields = {
  channelId: z.string(),
  teamId: z.string().optional().describe(`The team whose alerts it gets; ${serverWide}`),
  kind: z.enum(["webhook", "email"]),
  target: z.string().describe("URL of the webhook, or e-mail address."),
  creditBelowUsd: z
    .string()
    .optional()
    .describe("It gets an alert when credit falls below this amount in USD; absent: below the setting's."),
  createTime: timeSchema,
};

const channelSchema = responseObject(channelFields).meta({ id: "AlertChannel" });

export type WireChannel = z.infer<typeof channelSchema>;

export const newChannelSchema = responseObject({
  ...channelFields,
  secret: z.string().optional().describe("What webhooks are signed with, `whsec_` and base64. Shown once."),
}).meta({ id: "NewAlertChannel", description: "The channel, with the secret of a webhook." });

export type WireNewChannel = z.infer<typeof newChannelSchema>;

export const channelsSchema = responseObject({
  channels: responseArray(channelSchema).describe("In order of creation."),
}).meta({ id: "AlertChannelList" });

export const deliverySchema = responseObject({
  deliveryId: z.string().describe("The `webhook-id`, the same in every attempt."),
  channelId: z.string(),
  alertId: z.string().optional().describe("Absent for a test."),
  event: z.enum(["raised", "repeated", "resolved", "test"]),
  state: z.enum(["queued", "delivered", "dead"]).describe("`dead`: it was not accepted within a day."),
  attempts: z.int().min(0),
  nextTime: timeSchema.optional().describe("When the next attempt is made; absent if there is none."),
  createTime: timeSchema,
  endTime: timeSchema.optional(),
  error: z.string().optional().describe("Why the last attempt failed."),
}).meta({ id: "AlertDelivery" });

export type WireDelivery = z.infer<typeof deliverySchema>;

/** Presents a delivery. */
export function presentDelivery(delivery: AlertDelivery): WireDelivery {
  const { alertId, state, endTime, error } = delivery;
  return {
    deliveryId: delivery.id,
    channelId: delivery.channelId,
    alertId: alertId ?? undefined,
    event: delivery.event,
    state,
    attempts: delivery.attempts,
    nextTime: state === "queued" ? timestamp(delivery.nextTime) : undefined,
    createTime: timestamp(delivery.createTime),
    endTime: timestamp(endTime),
    error: error ?? undefined,
  };
}
