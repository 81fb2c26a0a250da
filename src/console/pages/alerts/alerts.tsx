/** Alerts: what is wrong, where alerts are sent, and what became of the messages. For owners. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import {
  listAlerts,
  listChannels,
  listDeliveries,
  type Alert,
  type NewChannel,
  type Channel,
  type Delivery,
} from "../../api/alerts.js";
import { agoText, momentText } from "../../lib/format.js";
import { useResource, type Resource } from "../../lib/resource.js";
import { Copyable } from "../../parts/copyable.js";
import { Dialog } from "../../parts/dialog.js";
import { useIsOperator, useTeam } from "../../session.js";
import { Empty } from "../../parts/empty.js";
import { PageHead } from "../../parts/page-head.js";
import { Table, type Column } from "../../parts/table.js";
import { ChannelDialog } from "./channel-dialog.js";
import { Channels } from "./channels.js";

const refreshMs = 10_000;

/** The page. The operator sees everything, an owner of a team what concerns the team. */
export function AlertsPage(): JSX.Element {
  const { teamId: currentTeam } = useTeam();
  const teamId = useIsOperator() ? undefined : currentTeam;
  const [isAdding, setAdding] = useState(false);
  const [added, setAdded] = useState<NewChannel | null>(null);
  const alerts = useResource((signal) => listAlerts(teamId, signal), [teamId], refreshMs);
  const channels = useResource((signal) => listChannels(teamId, signal), [teamId]);
  const deliveries = useResource((signal) => listDeliveries(teamId, signal), [teamId], refreshMs);
  const onAdded = (channel: NewChannel): void => {
    channels.reload();
    if (channel.secret !== undefined) setAdded(channel);
  };
  return (
    <>
      <PageHead title="Alerts">
        <button type="button" class="primary" onClick={() => setAdding(true)}>
          Add channel
        </button>
      </PageHead>
      <AlertTable alerts={alerts} />
      <h2>Channels</h2>
      <Channels channels={channels} onTested={deliveries.reload} />
      <h2>Messages</h2>
      <Deliveries deliveries={deliveries} channels={channels.value ?? []} />
      {isAdding && <ChannelDialog onAdded={onAdded} onClose={() => setAdding(false)} />}
      {added !== null && <SecretDialog channel={added} onClose={() => setAdded(null)} />}
    </>
  );
}

const columns: readonly Column<Alert>[] = [
  {
    title: "State",
    cell: ({ resolvedTime }) => (
      <span class={`state ${resolvedTime === undefined ? "bad" : "good"}`}>
        {resolvedTime === undefined ? "active" : "resolved"}
      </span>
    ),
  },
  { title: "Alert", cell: ({ message }) => message },
  {
    title: "Since",
    cell: ({ raisedTime }) => (
      <time dateTime={raisedTime} title={momentText(raisedTime)}>
        {agoText(raisedTime)}
      </time>
    ),
  },
  {
    title: "Until",
    cell: ({ resolvedTime }) =>
      resolvedTime === undefined ? "" : <time dateTime={resolvedTime}>{momentText(resolvedTime)}</time>,
  },
];

function AlertTable({ alerts }: { readonly alerts: Resource<readonly Alert[]> }): JSX.Element {
  return (
    <Table
      label="Alerts"
      columns={columns}
      rows={alerts}
      getKey={({ alertId }) => alertId}
      empty={
        <Empty title="No alerts">
          <p>Budgets and credit, models, requests and the disk are looked at all the time.</p>
        </Empty>
      }
    />
  );
}

interface DeliveriesProps {
  readonly deliveries: Resource<readonly Delivery[]>;
  readonly channels: readonly Channel[];
}

const states = { queued: "warn", delivered: "good", dead: "bad" } as const;

/** The newest messages, with the last error of those that were not accepted. */
function Deliveries({ deliveries, channels }: DeliveriesProps): JSX.Element {
  const columns: readonly Column<Delivery>[] = [
    {
      title: "State",
      cell: ({ state }) => <span class={`state ${states[state]}`}>{state}</span>,
    },
    {
      title: "To",
      cell: ({ channelId }) =>
        channels.find((channel) => channel.channelId === channelId)?.target ?? channelId,
    },
    { title: "Message", cell: ({ event }) => event },
    {
      title: "Written",
      cell: ({ createTime }) => (
        <time dateTime={createTime} title={momentText(createTime)}>
          {agoText(createTime)}
        </time>
      ),
    },
    { title: "Attempts", kind: "number", cell: ({ attempts }) => attempts },
    { title: "Last error", cell: ({ error }) => error ?? "" },
  ];
  return (
    <Table
      label="Messages"
      columns={columns}
      rows={deliveries}
      getKey={({ deliveryId }) => deliveryId}
      empty={
        <Empty title="No messages">
          <p>Messages to channels appear here, also those that a receiver did not accept.</p>
        </Empty>
      }
    />
  );
}

interface SecretDialogProps {
  readonly channel: NewChannel;
  readonly onClose: () => void;
}

/** Shows the secret of a webhook, the only time that it can be seen. */
function SecretDialog({ channel, onClose }: SecretDialogProps): JSX.Element {
  return (
    <Dialog title="Signing secret" onClose={onClose}>
      <div class="body">
        <p>
          <strong>Copy the secret now.</strong> It cannot be shown again.
        </p>
        <Copyable text={channel.secret ?? ""} label="Signing secret" />
        <p>
          With it, the receiver verifies that a message is from this server. The guide{" "}
          <a href="/docs/guides/alerts">Alerts</a> has the code.
        </p>
      </div>
      <footer>
        <button type="button" class="primary" onClick={onClose}>
          Done
        </button>
      </footer>
    </Dialog>
  );
}
