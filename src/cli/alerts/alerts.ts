/** `hearth alerts`: lists the alerts of a running server, and manages where they are sent. */
import type { Command } from "commander";
import type { Operator } from "../../app/app.js";
import type { LoadedConfig } from "../../config/config.js";
import type { Clock } from "../../core/clock.js";
import { operatorOpener, forEachReference } from "../command-helpers.js";
import { withQuery } from "../operator.js";
import { ago } from "../duration.js";
import type {
  WireAlert,
  WireChannel,
  WireDelivery,
  WireNewChannel,
} from "../../http/management/alerts/present-alerts.js";
import { askServer, type ChatServer } from "../server/client.js";
import { requireManagedServer } from "../server/running-server.js";
import { formatJson, formatTable } from "../table.js";

export interface AlertsIo {
  readonly load: () => Promise<LoadedConfig>;
  /** Finds teams by their names. */
  readonly openOperator: () => Promise<Operator>;
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

/** Adds `alerts` and its subcommands; they fail if no server is running. */
export function addAlertsCommand(program: Command, io: AlertsIo): void {
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
      const body = await toChannel(options, command, io);
      const added = await askServer<WireNewChannel>(await findServer(io), channelsPath, {
        method: "POST",
        body,
      });
      io.out.write(options.json === true ? formatJson(added) : addedText(added));
    });
  alerts
    .command("rm")
    .description("remove channels, and the messages to them that wait")
    .argument("<id...>", "IDs as `hearth alerts channels` shows them")
    .action(async (ids: readonly string[]) => {
      const server = await findServer(io);
      await forEachReference(ids, async (id) => {
        await askServer(server, toPath(id), { method: "DELETE" });
        io.out.write(`removed ${id}\n`);
      });
    });
  alerts
    .command("test")
    .description("send a test alert to a channel, and wait for the outcome")
    .argument("<id>", "ID as `hearth alerts channels` shows it")
    .action((id: string, _: object, command: Command) => sendTest(id, command, io));
}

function addLists(alerts: Command, io: AlertsIo): void {
  const addList = <Item>(command: Command, path: string, field: string, table: Table<Item>): void => {
    command
      .option("--team <team>", "only this team, by ID or name")
      .option("--json", "print one JSON array")
      .action(async ({ team, json }: ListOptions) => {
        const items = await listItems<Item>(await findServer(io), path, field, await findTeamId(team, io));
        io.out.write(json === true ? formatJson(items) : table(items, io.clock.now()));
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
  server: ChatServer,
  path: string,
  field: string,
  teamId: string | null,
): Promise<readonly Item[]> {
  const lists = await askServer<Readonly<Record<string, readonly Item[]>>>(
    server,
    withQuery(path, { teamId }),
  );
  return lists[field] ?? [];
}

async function findServer({ load }: AlertsIo): Promise<ChatServer> {
  return requireManagedServer((await load()).config);
}

async function findTeamId(team: string | undefined, { openOperator }: AlertsIo): Promise<string | null> {
  if (team === undefined) return null;
  return (await operatorOpener(openOperator)((api) => api.findTeam(team))).teamId;
}

async function toChannel(options: AddOptions, command: Command, io: AlertsIo): Promise<object> {
  const { webhook, email, team, creditBelow } = options;
  if ((webhook === undefined) === (email === undefined))
    return command.error("error: name a --webhook or an --email", { exitCode: 2 });
  const teamId = await findTeamId(team, io);
  return {
    ...(teamId === null ? {} : { teamId }),
    kind: webhook === undefined ? "email" : "webhook",
    target: webhook ?? email ?? "",
    ...(creditBelow === undefined ? {} : { creditBelowUsd: creditBelow }),
  };
}

function toPath(id: string): string {
  return `${channelsPath}/${encodeURIComponent(id)}`;
}

function addedText({ channelId, target, secret }: WireNewChannel): string {
  const lines = [`added ${channelId}: ${target}`, ...(secret === undefined ? [] : [`secret: ${secret}`])];
  return `${lines.join("\n")}\nTry it: hearth alerts test ${channelId}\n`;
}

async function sendTest(id: string, command: Command, io: AlertsIo): Promise<void> {
  const server = await findServer(io);
  const { deliveryId } = await askServer<WireDelivery>(server, `${toPath(id)}/test`, { method: "POST" });
  for (const end = io.clock.monotonic() + testWaitMs; io.clock.monotonic() < end;) {
    await new Promise<void>((resolve) => void io.clock.after(testAskMs, resolve));
    const all = await listItems<WireDelivery>(server, deliveriesPath, "deliveries", null);
    const sent = all.find((each) => each.deliveryId === deliveryId);
    if (sent?.state === "delivered") return void io.out.write("the test was delivered\n");
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
