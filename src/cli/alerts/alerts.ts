/** `hearth alerts`: lists the alerts of a running server, and manages where they are sent. */
import type { Command } from "commander";
import type { Operator } from "../../app/app.js";
import type { LoadedConfig } from "../../config/config.js";
import type { Clock } from "../../core/clock.js";
import { operatorOpener, forEachReference } from "../command-helpers.js";
import { ago } from "../duration.js";
import type { ChatServer } from "../chat-client.js";
import { requireManagedServer } from "../server/running-server.js";
import { formatJson, formatTable } from "../table.js";
import type { ChannelRequest, RemoteAlert, RemoteChannel, RemoteDelivery } from "./remote-alerts.js";

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
      const { addChannel } = await import("./remote-alerts.js");
      const requested = await toChannel(options, command, io);
      const added = await addChannel(await findServer(io), requested);
      io.out.write(options.json === true ? formatJson(added) : addedText(added));
    });
  alerts
    .command("rm")
    .description("remove channels, and the messages to them that wait")
    .argument("<id...>", "IDs as `hearth alerts channels` shows them")
    .action(async (ids: readonly string[]) => {
      const { removeChannel } = await import("./remote-alerts.js");
      const server = await findServer(io);
      await forEachReference(ids, async (id) => {
        await removeChannel(server, id);
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
  const withListOptions = (command: Command): Command =>
    command.option("--team <team>", "only this team, by ID or name").option("--json", "print one JSON array");
  const print = <Item>(items: readonly Item[], json: boolean, table: (items: readonly Item[]) => string) =>
    void io.out.write(json ? formatJson(items) : table(items));
  withListOptions(alerts.command("ls", { isDefault: true }).alias("list"))
    .description("list alerts: those that go on, then the newest")
    .action(async ({ team, json }: ListOptions) => {
      const { listAlerts } = await import("./remote-alerts.js");
      const found = await listAlerts(await findServer(io), await findTeamId(team, io));
      print(found, json === true, (items) => alertTable(items, io.clock.now()));
    });
  withListOptions(alerts.command("channels"))
    .description("list where alerts are sent")
    .action(async ({ team, json }: ListOptions) => {
      const { listChannels } = await import("./remote-alerts.js");
      const found = await listChannels(await findServer(io), await findTeamId(team, io));
      print(found, json === true, channelTable);
    });
  withListOptions(alerts.command("deliveries"))
    .description("list the messages to channels, and what became of them")
    .action(async ({ team, json }: ListOptions) => {
      const { listDeliveries } = await import("./remote-alerts.js");
      const found = await listDeliveries(await findServer(io), await findTeamId(team, io));
      print(found, json === true, (items) => deliveryTable(items, io.clock.now()));
    });
}

async function findServer({ load }: AlertsIo): Promise<ChatServer> {
  return requireManagedServer((await load()).config);
}

async function findTeamId(team: string | undefined, { openOperator }: AlertsIo): Promise<string | null> {
  if (team === undefined) return null;
  return (await operatorOpener(openOperator)((api) => api.findTeam(team))).teamId;
}

async function toChannel(options: AddOptions, command: Command, io: AlertsIo): Promise<ChannelRequest> {
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

function addedText({ channelId, target, secret }: RemoteChannel): string {
  const lines = [`added ${channelId}: ${target}`, ...(secret === undefined ? [] : [`secret: ${secret}`])];
  return `${lines.join("\n")}\nTry it: hearth alerts test ${channelId}\n`;
}

async function sendTest(id: string, command: Command, io: AlertsIo): Promise<void> {
  const { listDeliveries, testChannel } = await import("./remote-alerts.js");
  const server = await findServer(io);
  const { deliveryId } = await testChannel(server, id);
  for (const end = io.clock.monotonic() + testWaitMs; io.clock.monotonic() < end;) {
    await new Promise<void>((resolve) => void io.clock.after(testAskMs, resolve));
    const sent = (await listDeliveries(server, null)).find((each) => each.deliveryId === deliveryId);
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

function alertTable(alerts: readonly RemoteAlert[], now: number): string {
  const rows = alerts.map((alert) => [
    alert.resolvedTime === undefined ? "active" : "resolved",
    alert.kind,
    alert.message,
    ago(now - Date.parse(alert.raisedTime)),
    alert.resolvedTime === undefined ? "-" : ago(now - Date.parse(alert.resolvedTime)),
  ]);
  return formatTable(["STATE", "KIND", "MESSAGE", "RAISED", "RESOLVED"], rows);
}

function channelTable(channels: readonly RemoteChannel[]): string {
  const rows = channels.map((channel) => [
    channel.channelId,
    channel.kind,
    channel.target,
    channel.teamId ?? "all",
    channel.creditBelowUsd ?? "default",
  ]);
  return formatTable(["ID", "KIND", "TARGET", "TEAM", "CREDIT BELOW USD"], rows);
}

function deliveryTable(deliveries: readonly RemoteDelivery[], now: number): string {
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
