/** /admin/alerts/channels, an extension: where alerts are sent. */
import { z } from "zod";
import { toActor } from "../../../accounts/visibility.js";
import {
  channelsSchema,
  deliverySchema,
  newChannelSchema,
  type WireNewChannel,
  presentDelivery,
  type WireChannel,
} from "./present-alerts.js";
import { parseFields } from "../../../dialects/management/fields.js";
import { emptySchema, timestamp } from "../../../dialects/management/answers.js";
import type { AppContext } from "../../server/app-context.js";
import { accountRoute } from "../../server/route.js";
import { alertsQuery } from "./alerts.js";
import { ticksToUsd } from "../../../core/money.js";
import type { AlertChannel } from "../../../jobs/alerts/alert.js";

const requestSchema = z
  .object({
    teamId: z
      .string()
      .nullish()
      .describe(
        "The team whose budgets and credit it is about; absent: everything that the management key sees.",
      ),
    kind: z.enum(["webhook", "email"]),
    target: z.string().describe("An https URL, or an e-mail address."),
    creditBelowUsd: z
      .string()
      .max(50, "must have at most 50 characters")
      .nullish()
      .describe(
        "Send an alert when credit falls below this amount in USD; absent: the amount of the setting.",
      ),
  })
  .meta({ id: "CreateAlertChannelRequest" });

const params = { channelId: "ID of a channel." };

/** Lists channels. */
export const listChannels = accountRoute<AppContext>({
  method: "GET",
  path: "/admin/alerts/channels",
  acl: "ManageAlerts",
  docs: {
    operation: "listAlertChannels",
    tag: "Alerts",
    summary: "List where alerts are sent",
    description: "An extension of Hearth.",
    query: alertsQuery,
    answers: { 200: { description: "The channels.", schema: channelsSchema } },
    errors: ["not_found"],
  },
  async handle({ ctx, manager }, { alerts }) {
    const { teamId } = parseFields(alertsQuery, ctx.query);
    const found = await alerts.channels(teamId ?? null, toActor(manager));
    const answer: z.infer<typeof channelsSchema> = { channels: found.map(presentChannel) };
    ctx.body = answer;
  },
});

/** Adds a channel. */
export const createChannel = accountRoute<AppContext>({
  method: "POST",
  path: "/admin/alerts/channels",
  acl: "ManageAlerts",
  docs: {
    operation: "createAlertChannel",
    tag: "Alerts",
    summary: "Send alerts to a webhook or an e-mail address",
    description:
      "An extension of Hearth. Webhooks are signed as Standard Webhooks describes it, with a secret that only this answer has. A team, " +
      "and the server, has up to 20 channels. Addresses that are not public must be named by the setting `alertHosts`, for channels of a " +
      "team with a path. A manager of one team can name e-mail addresses of its members only, and add 40 channels in a day.",
    body: requestSchema,
    example: { kind: "webhook", target: "https://alerts.example.com/hearth" },
    answers: { 200: { description: "The channel.", schema: newChannelSchema } },
    errors: ["not_found", "rate_limited"],
  },
  async handle({ ctx, manager, body }, { alerts }) {
    const { teamId, kind, target, creditBelowUsd } = parseFields(requestSchema, body);
    const channel = await alerts.addChannel(
      { teamId: teamId ?? null, kind, target, creditBelowUsd: creditBelowUsd ?? null },
      toActor(manager),
    );
    const answer: WireNewChannel = {
      ...presentChannel(channel),
      secret: channel.secret ?? undefined,
    };
    ctx.body = answer;
  },
});

/** Removes a channel. */
export const deleteChannel = accountRoute<AppContext>({
  method: "DELETE",
  path: "/admin/alerts/channels/:channelId",
  acl: "ManageAlerts",
  docs: {
    operation: "deleteAlertChannel",
    tag: "Alerts",
    summary: "Remove a channel",
    description: "An extension of Hearth. Messages to it that wait are removed, too.",
    params,
    answers: { 200: { description: "It is removed.", schema: emptySchema } },
    errors: ["not_found"],
  },
  async handle({ ctx, manager, params }, { alerts }) {
    await alerts.removeChannel(params["channelId"] ?? "", toActor(manager));
    ctx.body = {};
  },
});

/** Sends a test to a channel. */
export const testChannel = accountRoute<AppContext>({
  method: "POST",
  path: "/admin/alerts/channels/:channelId/test",
  acl: "ManageAlerts",
  takesBody: false,
  docs: {
    operation: "testAlertChannel",
    tag: "Alerts",
    summary: "Send a test alert to a channel",
    description:
      "An extension of Hearth. The test is queued; the list of deliveries shows what became of it. A team has 20 tests in an hour.",
    params,
    answers: { 200: { description: "The delivery.", schema: deliverySchema } },
    errors: ["not_found", "overloaded", "rate_limited"],
  },
  async handle({ ctx, manager, params }, { alerts }) {
    ctx.body = presentDelivery(await alerts.test(params["channelId"] ?? "", toActor(manager)));
  },
});

/** Presents a channel, without its secret. */
function presentChannel(channel: AlertChannel): WireChannel {
  const { teamId, creditTicks } = channel;
  return {
    channelId: channel.id,
    teamId: teamId ?? undefined,
    kind: channel.kind,
    target: channel.target,
    creditBelowUsd: creditTicks === null ? undefined : ticksToUsd(BigInt(creditTicks)),
    createTime: timestamp(channel.createTime),
  };
}
