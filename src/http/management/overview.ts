/** GET /admin/overview, an extension: what the server does now, and what it has done today. */
import { z } from "zod";
import { toActor, deriveScope } from "../../accounts/visibility.js";
import type { Actor } from "../../accounts/audit/event.js";
import type { TeamCredits } from "../../accounts/money/credits.js";
import { hourMs } from "../../accounts/money/usage-report.js";
import type { ModelInMemory } from "../../core/metrics.js";
import { ticksToUsd } from "../../core/money.js";
import { invalidValue } from "../../dialects/field-error.js";
import { countField, responseArray, responseObject } from "../../dialects/response-fields.js";
import type { AppContext } from "../server/app-context.js";
import { epochMs, parseFields, timeField } from "../../dialects/management/fields.js";
import { managementRoute } from "../server/route.js";

const usd = z.string().describe("US dollars, exactly.");
const rangeMsMax = 48 * hourMs;
/** Teams whose credit is listed. */
const creditsMax = 5;
/** Credit below it is low: 1 USD. */
const lowTicks = 10_000_000_000n;

const overviewQuery = z.object({
  teamId: z.string().max(100).nullish().describe("Only this team; default: all that the key may see."),
  from: timeField
    .nullish()
    .describe("Start of the day, at most 48 hours ago and rounded down to the hour; default: 0:00 UTC."),
});

const overviewModel = responseObject({
  id: z.string(),
  bytes: countField("Memory that it takes."),
  device: z.string(),
  slots: countField("Generations that can run concurrently."),
  slotsHeld: countField("Generations that are running, of all teams."),
  until: z.iso
    .datetime()
    .nullable()
    .describe("When it is unloaded if it stays unused; null while it is in use."),
}).meta({ id: "OverviewModel" });

const overviewSchema = responseObject({
  object: z.literal("overview"),
  teamId: z.string().nullable().describe("The team that the numbers are of; null: of the whole server."),
  running: countField("Runs that hold a slot."),
  waiting: countField("Runs that wait for a slot."),
  tokensPerSecond: responseArray(z.number()).describe(
    "Tokens that were sampled in each of the last 60 seconds, the oldest first; reasoning included.",
  ),
  models: responseArray(overviewModel).describe("The models in memory, in order of id."),
  memory: responseObject({
    processBytes: countField("Resident memory of the process, models included."),
    modelBytes: countField("Memory that the models take on the CPU."),
    gpuBytes: countField("Memory that the models take on a GPU."),
  })
    .nullable()
    .describe("Null for the numbers of one team."),
  today: responseObject({
    from: z.iso.datetime(),
    requests: countField("Runs of models that have ended, or run."),
    failed: countField("Runs that have failed."),
    tokens: countField("Tokens of prompts and answers together."),
    usd,
  }),
  credits: responseArray(
    responseObject({
      teamId: z.string(),
      name: z.string(),
      usd: usd.describe("Credit that is left, in US dollars."),
      isLow: z.boolean().describe("Whether it is under 1 USD, or under what the team has spent today."),
    }),
  ).describe("Prepaid teams with the least credit, at most 5."),
}).meta({ id: "Overview" });

export type Overview = z.infer<typeof overviewSchema>;

/** Returns the overview. */
export const getOverview = managementRoute({
  method: "GET",
  path: "/admin/overview",
  acl: "BillingRead",
  docs: {
    operation: "getOverview",
    tag: "Server",
    summary: "Get what the server does now, and what it has done today",
    description:
      "An extension of Hearth, for a page that asks every few seconds. A management key for one team gets the numbers of that " +
      "team; a member with the role `member` gets what the API keys that they created do and have done today.",
    query: overviewQuery,
    answers: { 200: { description: "The overview.", schema: overviewSchema } },
    errors: ["not_found"],
  },
  async handle({ ctx, manager }, app) {
    const actor = toActor(manager);
    const query = parseFields(overviewQuery, ctx.query);
    const scope = deriveScope(actor, query.teamId ?? null);
    const { teamId } = scope;
    const now = app.clock.now();
    const from = query.from === null || query.from === undefined ? startOfDay(now) : epochMs(query.from);
    if (from > now || from < now - rangeMsMax)
      throw invalidValue("from", "must be a time of the last 48 hours");
    const range = { teamId, from: from - (from % hourMs), to: now + hourMs };
    const today = await sumToday(app, range, actor);
    const { running, waiting } =
      scope.ownerId === null ? app.load().runs(teamId) : app.requestLog.load(scope);
    const answer: Overview = {
      object: "overview",
      teamId,
      running,
      waiting,
      tokensPerSecond: app.metrics.recentTokens(scope),
      models: app
        .load()
        .models.toSorted((a, b) => (a.id < b.id ? -1 : 1))
        .map(presentModel),
      memory: teamId === null ? sumMemory(app.load().models) : null,
      today,
      credits: await listCredits(app, range, actor),
    };
    ctx.body = answer;
  },
});

interface Range {
  readonly teamId: string | null;
  readonly from: number;
  readonly to: number;
}

async function sumToday({ accounts }: AppContext, range: Range, actor: Actor): Promise<Overview["today"]> {
  const query = {
    ...range,
    unit: null,
    by: [],
    order: "time",
    hosted: null,
    rowsMax: 1,
    top: null,
    label: null,
  } as const;
  const { total } = await accounts.usage.report(query, actor);
  const { promptTokens, completionTokens, reasoningTokens } = total.usage;
  return {
    from: new Date(range.from).toISOString(),
    requests: total.runs,
    failed: await accounts.usage.failures(range.teamId, range.from, actor),
    tokens: promptTokens + completionTokens + reasoningTokens,
    usd: ticksToUsd(total.costTicks),
  };
}

async function listCredits(
  { accounts }: AppContext,
  range: Range,
  actor: Actor,
): Promise<Overview["credits"]> {
  const visible = await accounts.teams.list(actor);
  const teams = visible.filter(
    ({ id, billing }) => billing === "prepaid" && (range.teamId === null || id === range.teamId),
  );
  if (teams.length === 0) return [];
  const least = (await accounts.credits.of(teams))
    .toSorted((a, b) => (a.balances.credit < b.balances.credit ? -1 : 1))
    .slice(0, creditsMax);
  return Promise.all(
    least.map(async ({ team, balances }: TeamCredits) => {
      const query = {
        unit: null,
        by: [],
        order: "time",
        hosted: null,
        rowsMax: 1,
        top: null,
        label: null,
      } as const;
      const spent = await accounts.usage.report({ ...range, ...query, teamId: team.id }, actor);
      const { credit } = balances;
      const isLow = credit < lowTicks || credit < spent.total.costTicks;
      return { teamId: team.id, name: team.name, usd: ticksToUsd(credit), isLow };
    }),
  );
}

function sumMemory(models: readonly ModelInMemory[]): NonNullable<Overview["memory"]> {
  const sumBytes = (isOnCpu: boolean): number =>
    models
      .filter(({ device, isRemote = false }) => (device === "cpu" || isRemote) === isOnCpu)
      .reduce((sum, { bytes }) => sum + bytes, 0);
  return {
    processBytes: process.memoryUsage.rss(),
    modelBytes: sumBytes(true),
    gpuBytes: sumBytes(false),
  };
}

function presentModel({
  id,
  bytes,
  device,
  slots,
  slotsHeld,
  until,
}: ModelInMemory): Overview["models"][number] {
  const unloadTime = until === null ? null : new Date(until).toISOString();
  return { id, bytes, device, slots, slotsHeld, until: unloadTime };
}

/** Returns 0:00 UTC of the day. */
function startOfDay(now: number): number {
  return now - (now % (24 * hourMs));
}
