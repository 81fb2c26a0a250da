/** Alerts and their channels for the people who manage them. Every change of a channel is audited. */
import { canSee } from "../../accounts/visibility.js";
import { auditEntry, type AuditDeps } from "../../accounts/audit/audited-change.js";
import type { Actor, AuditedFields } from "../../accounts/audit/event.js";
import { checkEmail, invalid } from "../../accounts/field-rules.js";
import { foldEmail } from "../../accounts/principals/member.js";
import type { MemberStore } from "../../accounts/members/store.js";
import { usdAmount } from "../../accounts/money/amounts.js";
import type { TeamStore } from "../../accounts/teams/store.js";
import { findScope } from "../../accounts/teams/teams.js";
import type { AlertSender } from "../../core/report/alerts.js";
import { HearthError } from "../../core/errors.js";
import { ticksToUsd } from "../../core/money.js";
import type { Alert, AlertChannel, AlertDelivery, ChannelKind } from "./alert.js";
import type { DeliveryQueue } from "./deliveries.js";
import { newDelivery, testMessage } from "./message.js";
import type { AlertStore } from "./store/alerts.js";
import type { ChannelStore } from "./store/channels.js";
import type { DeliveryStore } from "./store/deliveries.js";

interface NewChannel {
  /** null: all alerts, the server's included; for an actor of one team, the alerts of the team. */
  readonly teamId: string | null;
  readonly kind: ChannelKind;
  readonly target: string;
  /** An amount in USD, such as `12.50`; null: the amount of the setting. */
  readonly creditBelowUsd: string | null;
}

/** An actor of one team sees the alerts and channels of the team; alerts and channels of the server and of other teams are treated as absent. */
export type AlertService = ReturnType<typeof createAlertService>;

interface AlertServiceDeps extends AuditDeps {
  readonly alerts: AlertStore;
  readonly channels: ChannelStore;
  readonly deliveries: DeliveryStore;
  readonly teams: TeamStore;
  readonly members: MemberStore;
  readonly queue: DeliveryQueue;
  readonly senders: Readonly<Record<ChannelKind, AlertSender>>;
  /** Returns a signing secret of these random bytes. */
  readonly toSecret: (bytes: Uint8Array) => string;
}

/** Channels of a team, and of the server. */
const channelsMax = 20;
/** Messages of a channel that may wait when it is tested. */
const queuedMax = 100;
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** The limit for a team, counted over all of its channels, removed ones included. */
const testsPerHourMax = 20;
const addedPerDayMax = 40;
const listedMax = 200;
const secretBytes = 32;
const targetCharsMax = 2000;

/** Builds the service. */
export function createAlertService(deps: AlertServiceDeps) {
  const { alerts, channels, deliveries, writes } = deps;
  return {
    /** Returns the newest alerts of a team, or with null all that the actor sees; those that go on first. */
    list: async (teamId: string | null, actor: Actor): Promise<readonly Alert[]> =>
      alerts.newest(await seenTeam(deps, teamId, actor), listedMax),
    /** Returns the channels in order of creation. */
    channels: async (teamId: string | null, actor: Actor): Promise<readonly AlertChannel[]> =>
      channels.list(await seenTeam(deps, teamId, actor)),
    /** Returns the newest deliveries of the channels that the actor sees, the newest first. */
    async deliveries(teamId: string | null, actor: Actor): Promise<readonly AlertDelivery[]> {
      const seen = await channels.list(await seenTeam(deps, teamId, actor));
      return deliveries.newest({ channelIds: seen.map(({ id }) => id), limit: listedMax });
    },
    /**
     * Adds a channel. Only the result has the secret.
     * @throws HearthError `not_found` for the team, `invalid_value` naming the field, `rate_limited` after many changes.
     */
    async addChannel(request: NewChannel, actor: Actor): Promise<AlertChannel> {
      const teamId = await seenTeam(deps, request.teamId, actor);
      const channel = await newChannel(deps, { ...request, teamId }, actor);
      const entry = {
        ...toEntry(channel, "CreateAlertChannel", "Added"),
        before: null,
        after: audited(channel),
      };
      await writes.commit([channels.insertion(channel), auditEntry(deps, actor, entry)]);
      return channel;
    },
    /** Removes a channel and its deliveries. @throws HearthError `not_found`. */
    async removeChannel(id: string, actor: Actor): Promise<void> {
      const channel = await findChannel(deps, id, actor);
      const entry = {
        ...toEntry(channel, "DeleteAlertChannel", "Removed"),
        before: audited(channel),
        after: null,
      };
      await writes.commit([channels.removal(id), auditEntry(deps, actor, entry)]);
    },
    /** Queues a test. @throws HearthError `not_found`, `overloaded` when too many messages wait, `rate_limited` after many tests. */
    test: (id: string, actor: Actor): Promise<AlertDelivery> => sendTest(deps, id, actor),
  };
}

/** Returns the team that is meant: for an actor of one team, its team; null = all. @throws HearthError `not_found`. */
async function seenTeam(
  { teams }: AlertServiceDeps,
  teamId: string | null,
  actor: Actor,
): Promise<string | null> {
  return (await findScope(teams, teamId, actor)).teamId;
}

/** @throws HearthError `not_found`. */
async function findChannel({ channels }: AlertServiceDeps, id: string, actor: Actor): Promise<AlertChannel> {
  const channel = await channels.find(id);
  if (channel === null || !canSee(actor, channel.teamId))
    throw new HearthError("not_found", "Cannot find channel", { param: "channelId" });
  return channel;
}

async function sendTest(deps: AlertServiceDeps, id: string, actor: Actor): Promise<AlertDelivery> {
  const { deliveries, teams, writes, clock, random, queue } = deps;
  const channel = await findChannel(deps, id, actor);
  if ((await deliveries.countQueued(id)) >= queuedMax)
    throw new HearthError("overloaded", "Too many messages of this channel wait. Please try again later.", {
      retryAfterSeconds: 60,
    });
  await refuseMany(deps, channel.teamId, "TestAlertChannel", { max: testsPerHourMax, periodMs: hourMs });
  const now = clock.now();
  const team = channel.teamId === null ? null : await teams.find(channel.teamId);
  const message = testMessage(channel, team?.name ?? null, now);
  const delivery = newDelivery(`msg_${random.id()}`, channel, message, now);
  const entry = { ...toEntry(channel, "TestAlertChannel", "Tested"), before: null, after: null };
  await writes.commit([deliveries.insertion(delivery), auditEntry(deps, actor, entry)]);
  queue.wake();
  return delivery;
}

async function newChannel(deps: AlertServiceDeps, request: NewChannel, actor: Actor): Promise<AlertChannel> {
  const { channels, random, clock, toSecret } = deps;
  const { teamId, kind, target, creditBelowUsd } = request;
  checkTarget(deps, request);
  if (kind === "email" && actor.teamId !== null) await refuseStranger(deps, target, actor.teamId);
  await refuseMany(deps, teamId, "CreateAlertChannel", { max: addedPerDayMax, periodMs: dayMs });
  const creditTicks = creditBelowUsd === null ? null : usdAmount("creditBelowUsd", creditBelowUsd);
  if (creditTicks !== null && creditTicks < 0) throw invalid("creditBelowUsd", "must not be negative");
  const others = (await channels.list(null)).filter((channel) => channel.teamId === teamId);
  if (others.some((channel) => channel.target === target)) throw invalid("target", "has a channel already");
  if (others.length >= channelsMax) throw invalid("target", `exceeds the number of channels, ${channelsMax}`);
  return {
    id: random.id(),
    teamId,
    kind,
    target,
    secret: kind === "webhook" ? toSecret(random.bytes(secretBytes)) : null,
    creditTicks,
    createTime: clock.now(),
  };
}

/** A team sends mail to its own people only. @throws HearthError `invalid_value`. */
async function refuseStranger({ members }: AlertServiceDeps, target: string, teamId: string): Promise<void> {
  const member = await members.findByEmail(foldEmail(target));
  if (member?.teamId !== teamId)
    throw invalid("target", "must be the e-mail address of a member of the team");
}

/**
 * Refuses what those who manage a team have done too often. It is counted in the audit log, which a removed channel does not shorten.
 * @throws HearthError `rate_limited`.
 */
async function refuseMany(
  { audit, clock }: AlertServiceDeps,
  teamId: string | null,
  action: ChannelAction,
  { max, periodMs }: { readonly max: number; readonly periodMs: number },
): Promise<void> {
  if (teamId === null) return;
  const count = await audit.count({ teamId, action, from: clock.now() - periodMs });
  if (count < max) return;
  const what = action === "TestAlertChannel" ? "tests" : "new channels";
  const hours = periodMs / hourMs;
  throw new HearthError(
    "rate_limited",
    `A team has at most ${max} ${what} of alerts in ${hours} h. Please try again later.`,
    {
      retryAfterSeconds: 3600,
    },
  );
}

function checkTarget({ senders }: AlertServiceDeps, { kind, target, teamId }: NewChannel): void {
  if (target.length > targetCharsMax)
    throw invalid("target", `must have at most ${targetCharsMax} characters`);
  if (kind === "email") {
    try {
      checkEmail(target);
    } catch {
      throw invalid("target", "must be an e-mail address, such as ada@example.com");
    }
  }
  try {
    senders[kind].check(target, teamId !== null);
  } catch (thrown) {
    throw invalid("target", thrown instanceof Error ? thrown.message : String(thrown));
  }
}

type ChannelAction = "CreateAlertChannel" | "DeleteAlertChannel" | "TestAlertChannel";

function toEntry({ id, teamId, kind }: AlertChannel, action: ChannelAction, verb: string) {
  const what = kind === "webhook" ? "a webhook" : "an e-mail address";
  return { action, objectId: id, teamId, description: `${verb} ${what} for alerts` };
}

/** The path of a webhook's URL can be a secret of its receiver. */
function audited({ kind, target, creditTicks }: AlertChannel): AuditedFields {
  return {
    kind,
    target: kind === "webhook" ? new URL(target).origin : target,
    creditBelowUsd: creditTicks === null ? null : ticksToUsd(BigInt(creditTicks)),
  };
}
