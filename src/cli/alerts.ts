/** `hearth alerts`: lists the alerts of a running server, and manages where they are sent. */
import { setTimeout } from "node:timers/promises";
import type { Command } from "commander";
import { printMade, type MadeOptions } from "./made.js";
import { resolveReference } from "../core/resolve-reference.js";
import type { Operator } from "../app/operator/open.js";
import type { Clock } from "../core/clock.js";
import { operatorOpener, forEachReference, type UsingOperator } from "./command-helpers.js";
import type { OperatorClient } from "./operator.js";
import { ago } from "./duration.js";
import type {
  WireAlert,
  WireChannel,
  WireDelivery,
  WireNewChannel,
} from "../http/management/alerts/present-alerts.js";
import { printListing, withListing, type ListingOptions, type Printed } from "./listing.js";
import type { TableColumn } from "./table.js";

interface Io extends Printed {
  readonly using: UsingOperator;
  readonly clock: Clock;
}

interface ListOptions extends ListingOptions {
  readonly team?: string;
}

interface AddOptions extends MadeOptions {
  readonly team?: string;
  readonly webhook?: string;
  readonly email?: string;
  readonly creditBelow?: string;
}

const channelsPath = "/admin/alerts/channels";
const deliveriesPath = "/admin/alerts/deliveries";

/** A list of the running server. */
interface AlertsList<Item> {
  readonly path: string;
  /** The field of the answer. */
  readonly field: string;
  readonly columns: (now: number) => readonly TableColumn<Item>[];
  readonly empty: string;
}

/** How long `alerts test` waits for the outcome, and how often it asks. */
const testWaitMs = 20_000;
const testAskMs = 250;

/** Adds `alerts` and its subcommands. @param open opens the interface of the running server; it fails if none is running */
export function addAlertsCommand(
  program: Command,
  open: () => Promise<Operator>,
  { clock, out, err }: Omit<Io, "using">,
): void {
  const io = { using: operatorOpener(open, JSON.parse), clock, out, err };
  const alerts = program
    .command("alerts")
    .description("list the alerts of the running server, and manage the channels that they are sent to");
  addLists(alerts, io);
  alerts
    .command("add")
    .alias("create")
    .description("send alerts to a webhook or an e-mail address")
    .option("--webhook <url>", "post them to this https URL, signed; prints the secret, once")
    .option("--email <address>", "send them to this address; needs the settings smtpUrl and smtpFrom")
    .option("--team <team>", "only those of this team's budgets and credit, by ID or name (default: all)")
    .option("--credit-below <usd>", "alert when credit falls below this amount (default: the setting's)")
    .option("--json", "print one JSON object")
    .action(async (options: AddOptions, command: Command) => {
      const added = await io.using(async (api) =>
        api.request<WireNewChannel>("POST", channelsPath, await toChannel(options, command, api)),
      );
      printMade(out, options, {
        value: added,
        text: addedText(added),
        bare: added.secret ?? added.channelId,
      });
    });
  alerts
    .command("rm")
    .alias("delete")
    .description("remove channels, and the messages to them that wait")
    .argument("<id...>", "IDs, their beginnings, or targets, as `hearth alerts channels` shows them")
    .action((ids: readonly string[]) =>
      io.using((api) =>
        forEachReference(ids, async (id) => {
          const channel = await findChannel(api, id);
          await api.request("DELETE", toPath(channel.channelId));
          out.write(`removed ${channel.channelId}: ${channel.target}\n`);
        }),
      ),
    );
  alerts
    .command("test")
    .description("send a test alert to a channel, and wait for the outcome")
    .argument("<id>", "ID, its beginning, or the target, as `hearth alerts channels` shows it")
    .action((id: string, _: object, command: Command) => sendTest(id, command, io));
}

function addLists(alerts: Command, { using, clock, out, err }: Io): void {
  const addList = <Item>(command: Command, { path, field, columns, empty }: AlertsList<Item>): void => {
    withListing(command)
      .option("--team <team>", "only this team, by ID or name")
      .action(async ({ team, ...options }: ListOptions) => {
        const items = await using(async (api) =>
          listItems<Item>(api, path, field, await findTeamId(team, api)),
        );
        printListing({ out, err }, options, { items, columns: columns(clock.now()), empty });
      });
  };
  const list = alerts.command("ls", { isDefault: true }).alias("list");
  list.description("list alerts: those that go on, then the newest");
  addList(list, {
    path: "/admin/alerts",
    field: "alerts",
    columns: listAlertColumns,
    empty: "No alerts. Where they are sent: hearth alerts channels",
  });
  const channels = alerts.command("channels").description("list where alerts are sent");
  addList(channels, {
    path: channelsPath,
    field: "channels",
    columns: () => channelColumns,
    empty: "No channels. Add one: hearth alerts add --email ADDRESS",
  });
  const deliveries = alerts.command("deliveries");
  deliveries.description("list the messages to channels, and what became of them");
  addList(deliveries, {
    path: deliveriesPath,
    field: "deliveries",
    columns: listDeliveryColumns,
    empty: "No messages yet. Send one: hearth alerts test ID",
  });
}

async function listItems<Item>(
  api: OperatorClient,
  path: string,
  field: string,
  teamId: string | undefined,
): Promise<readonly Item[]> {
  const lists = await api.get<Readonly<Record<string, readonly Item[]>>>(path, { teamId });
  return lists[field] ?? [];
}

async function findTeamId(team: string | undefined, api: OperatorClient): Promise<string | undefined> {
  return team === undefined ? undefined : (await api.findTeam(team)).teamId;
}

async function toChannel(options: AddOptions, command: Command, api: OperatorClient): Promise<object> {
  const { webhook, email, team, creditBelow } = options;
  if ((webhook === undefined) === (email === undefined))
    return command.error("error: name a --webhook or an --email", { exitCode: 2 });
  return {
    teamId: await findTeamId(team, api),
    kind: webhook === undefined ? "email" : "webhook",
    target: webhook ?? email ?? "",
    creditBelowUsd: creditBelow,
  };
}

/** Returns the channel that an ID, its beginning, or its target names. */
async function findChannel(api: OperatorClient, reference: string): Promise<WireChannel> {
  const all = await listItems<WireChannel>(api, channelsPath, "channels", undefined);
  const items = all.map((channel) => ({ ...channel, id: channel.channelId }));
  const byTarget = ({ target }: WireChannel): boolean => target === reference;
  return resolveReference("channel", reference, items, byTarget, ({ target }) => target);
}

function toPath(id: string): string {
  return `${channelsPath}/${encodeURIComponent(id)}`;
}

function addedText({ channelId, target, secret }: WireNewChannel): string {
  const lines = [`added ${channelId}: ${target}`, ...(secret === undefined ? [] : [`secret: ${secret}`])];
  return `${lines.join("\n")}\nTry it: hearth alerts test ${channelId}\n`;
}

async function sendTest(id: string, command: Command, { using, clock, out }: Io): Promise<void> {
  const { deliveryId } = await using(async (api) =>
    api.request<WireDelivery>("POST", `${toPath((await findChannel(api, id)).channelId)}/test`),
  );
  for (const end = clock.monotonic() + testWaitMs; clock.monotonic() < end;) {
    await setTimeout(testAskMs);
    const all = await using((api) => listItems<WireDelivery>(api, deliveriesPath, "deliveries", undefined));
    const sent = all.find((each) => each.deliveryId === deliveryId);
    if (sent?.state === "delivered") return void out.write("the test was delivered\n");
    if (sent?.error !== undefined)
      return command.error(`error: the test was not delivered: ${sent.error}`, { exitCode: 1 });
  }
  command.error(
    "error: the test was not delivered yet; `hearth alerts deliveries` shows what becomes of it",
    {
      exitCode: 1,
    },
  );
}

function listAlertColumns(now: number): readonly TableColumn<WireAlert>[] {
  return [
    { title: "STATE", cell: ({ resolvedTime }) => (resolvedTime === undefined ? "active" : "resolved") },
    { title: "KIND", cell: ({ kind }) => kind },
    { title: "MESSAGE", cell: ({ message }) => message, charsMin: 24 },
    { title: "RAISED", cell: ({ raisedTime }) => ago(now - Date.parse(raisedTime)) },
    {
      title: "RESOLVED",
      cell: ({ resolvedTime }) => (resolvedTime === undefined ? "-" : ago(now - Date.parse(resolvedTime))),
      leftOut: 1,
    },
  ];
}

const channelColumns: readonly TableColumn<WireChannel>[] = [
  { title: "ID", cell: ({ channelId }) => channelId, kind: "id" },
  { title: "KIND", cell: ({ kind }) => kind },
  { title: "TARGET", cell: ({ target }) => target, charsMin: 16 },
  { title: "TEAM", cell: ({ teamId }) => teamId ?? "all", kind: "id", leftOut: 1 },
  {
    title: "CREDIT BELOW USD",
    cell: ({ creditBelowUsd }) => creditBelowUsd ?? "default",
    kind: "number",
    leftOut: 2,
  },
];

function listDeliveryColumns(now: number): readonly TableColumn<WireDelivery>[] {
  return [
    { title: "ID", cell: ({ deliveryId }) => deliveryId, kind: "id", leftOut: 2 },
    { title: "CHANNEL", cell: ({ channelId }) => channelId, kind: "id", leftOut: 3 },
    { title: "EVENT", cell: ({ event }) => event },
    { title: "STATE", cell: ({ state }) => state },
    { title: "ATTEMPTS", cell: ({ attempts }) => String(attempts), kind: "number", leftOut: 1 },
    { title: "CREATED", cell: ({ createTime }) => ago(now - Date.parse(createTime)) },
    { title: "LAST ERROR", cell: ({ error }) => error ?? "-", charsMin: 16 },
  ];
}
