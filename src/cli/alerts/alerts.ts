/** `hearth alerts`: lists the alerts of a running server, and manages where they are sent. */
import { setTimeout } from "node:timers/promises";
import type { Command } from "commander";
import type { Operator } from "../../app/operator/open.js";
import type { Clock } from "../../core/clock.js";
import { operatorOpener, forEachReference, type UsingOperator } from "../command-helpers.js";
import type { OperatorClient } from "../operator.js";
import { ago } from "../duration.js";
import type {
  WireAlert,
  WireChannel,
  WireDelivery,
  WireNewChannel,
} from "../../http/management/alerts/present-alerts.js";
import { formatJson, formatTable } from "../table.js";

interface Io {
  readonly using: UsingOperator;
  readonly clock: Clock;
  readonly out: { write(text: string): unknown };
}

interface ListOptions {
  readonly team?: string;
  readonly json?: true;
}

interface AddOptions extends ListOptions {
  readonly webhook?: string;
  readonly email?: string;
  readonly creditBelow?: string;
}

const channelsPath = "/admin/alerts/channels";
const deliveriesPath = "/admin/alerts/deliveries";

/** Formats items, now. */
type Table<Item> = (items: readonly Item[], now: number) => string;

/** How long `alerts test` waits for the outcome, and how often it asks. */
const testWaitMs = 20_000;
const testAskMs = 250;

/** Adds `alerts` and its subcommands. @param open opens the interface of the running server; it fails if none is running */
export function addAlertsCommand(
  program: Command,
  open: () => Promise<Operator>,
  { clock, out }: Omit<Io, "using">,
): void {
  const io = { using: operatorOpener(open, JSON.parse), clock, out };
  const alerts = program
    .command("alerts")
    .description("list the alerts of the running server, and manage the channels that they are sent to");
  addLists(alerts, io);
  alerts
    .command("add")
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
      out.write(options.json === true ? formatJson(added) : addedText(added));
    });
  alerts
    .command("rm")
    .description("remove channels, and the messages to them that wait")
    .argument("<id...>", "IDs as `hearth alerts channels` shows them")
    .action((ids: readonly string[]) =>
      io.using((api) =>
        forEachReference(ids, async (id) => {
          await api.request("DELETE", toPath(id));
          out.write(`removed ${id}\n`);
        }),
      ),
    );
  alerts
    .command("test")
    .description("send a test alert to a channel, and wait for the outcome")
    .argument("<id>", "ID as `hearth alerts channels` shows it")
    .action((id: string, _: object, command: Command) => sendTest(id, command, io));
}

function addLists(alerts: Command, { using, clock, out }: Io): void {
  const addList = <Item>(command: Command, path: string, field: string, table: Table<Item>): void => {
    command
      .option("--team <team>", "only this team, by ID or name")
      .option("--json", "print one JSON array")
      .action(async ({ team, json }: ListOptions) => {
        const items = await using(async (api) =>
          listItems<Item>(api, path, field, await findTeamId(team, api)),
        );
        out.write(json === true ? formatJson(items) : table(items, clock.now()));
      });
  };
  const list = alerts.command("ls", { isDefault: true }).alias("list");
  list.description("list alerts: those that go on, then the newest");
  addList(list, "/admin/alerts", "alerts", alertTable);
  const channels = alerts.command("channels").description("list where alerts are sent");
  addList(channels, channelsPath, "channels", channelTable);
  const deliveries = alerts.command("deliveries");
  deliveries.description("list the messages to channels, and what became of them");
  addList(deliveries, deliveriesPath, "deliveries", deliveryTable);
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

function toPath(id: string): string {
  return `${channelsPath}/${encodeURIComponent(id)}`;
}

function addedText({ channelId, target, secret }: WireNewChannel): string {
  const lines = [`added ${channelId}: ${target}`, ...(secret === undefined ? [] : [`secret: ${secret}`])];
  return `${lines.join("\n")}\nTry it: hearth alerts test ${channelId}\n`;
}

async function sendTest(id: string, command: Command, { using, clock, out }: Io): Promise<void> {
  const { deliveryId } = await using((api) => api.request<WireDelivery>("POST", `${toPath(id)}/test`));
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

function alertTable(alerts: readonly WireAlert[], now: number): string {
  const rows = alerts.map((alert) => [
    alert.resolvedTime === undefined ? "active" : "resolved",
    alert.kind,
    alert.message,
    ago(now - Date.parse(alert.raisedTime)),
    alert.resolvedTime === undefined ? "-" : ago(now - Date.parse(alert.resolvedTime)),
  ]);
  return formatTable(["STATE", "KIND", "MESSAGE", "RAISED", "RESOLVED"], rows);
}

function channelTable(channels: readonly WireChannel[]): string {
  const rows = channels.map((channel) => [
    channel.channelId,
    channel.kind,
    channel.target,
    channel.teamId ?? "all",
    channel.creditBelowUsd ?? "default",
  ]);
  return formatTable(["ID", "KIND", "TARGET", "TEAM", "CREDIT BELOW USD"], rows);
}

function deliveryTable(deliveries: readonly WireDelivery[], now: number): string {
  const rows = deliveries.map((delivery) => [
    delivery.deliveryId,
    delivery.channelId,
    delivery.event,
    delivery.state,
    String(delivery.attempts),
    ago(now - Date.parse(delivery.createTime)),
    delivery.error ?? "-",
  ]);
  return formatTable(["ID", "CHANNEL", "EVENT", "STATE", "ATTEMPTS", "CREATED", "LAST ERROR"], rows);
}
