/** Alerts: what is wrong, where alerts are sent, and what became of the messages. For owners. */
import { basePath } from "../../lib/base-path.js";
import type { JSX } from "preact";
import type {
  WireAlert,
  WireChannel,
  WireDelivery,
  WireNewChannel,
} from "../../../http/management/alerts/present-alerts.js";
import { useList } from "../../lib/resource.js";
import { Notice, openDialog } from "../../parts/dialog.js";
import { Empty, PageHead } from "../../parts/page.js";
import { Table, type Column } from "../../parts/table.js";
import { Ago, Copyable, Moment } from "../../parts/text.js";
import { useIsOperator, useTeam } from "../../session.js";
import { ChannelDialog, Channels } from "./channels.js";

const refreshMs = 10_000;

/** The page. The operator sees everything, an owner of a team what concerns the team. */
export function AlertsPage(): JSX.Element {
  const { teamId: currentTeam } = useTeam();
  const query = { teamId: useIsOperator() ? undefined : currentTeam };
  const alerts = useList<WireAlert>("/admin/alerts", "alerts", query, refreshMs);
  const channels = useList<WireChannel>("/admin/alerts/channels", "channels", query);
  const deliveries = useList<WireDelivery>("/admin/alerts/deliveries", "deliveries", query, refreshMs);
  const onAdded = ({ secret }: WireNewChannel): void => {
    channels.reload();
    if (secret !== undefined) openDialog(<SecretDialog secret={secret} />);
  };
  return (
    <>
      <PageHead title="Alerts">
        <button type="button" class="primary" onClick={() => openDialog(<ChannelDialog onAdded={onAdded} />)}>
          Add channel
        </button>
      </PageHead>
      <Table
        label="Alerts"
        columns={columns}
        rows={alerts}
        getKey={({ alertId }) => alertId}
        empty={
          <Empty title="No alerts">
            <p>Hearth checks budgets and credit, models, requests and the disk all the time.</p>
          </Empty>
        }
      />
      <h2>Channels</h2>
      <Channels channels={channels} onTested={deliveries.reload} />
      <h2>Messages</h2>
      <Table
        label="Messages"
        columns={deliveryColumns(channels.value ?? [])}
        rows={deliveries}
        getKey={({ deliveryId }) => deliveryId}
        empty={
          <Empty title="No messages">
            <p>Messages to channels appear here, also those that a receiver did not accept.</p>
          </Empty>
        }
      />
    </>
  );
}

const columns: readonly Column<WireAlert>[] = [
  {
    title: "State",
    cell: ({ resolvedTime }) => (
      <span class={`state ${resolvedTime === undefined ? "bad" : "good"}`}>
        {resolvedTime === undefined ? "active" : "resolved"}
      </span>
    ),
  },
  { title: "Alert", cell: ({ message }) => message },
  { title: "Since", cell: ({ raisedTime }) => <Ago at={raisedTime} /> },
  {
    title: "Until",
    cell: ({ resolvedTime }) => (resolvedTime === undefined ? "" : <Moment at={resolvedTime} />),
  },
];

const states = { queued: "warn", delivered: "good", dead: "bad" } as const;

/** The newest messages, with the last error of those that were not accepted. */
function deliveryColumns(channels: readonly WireChannel[]): readonly Column<WireDelivery>[] {
  return [
    { title: "State", cell: ({ state }) => <span class={`state ${states[state]}`}>{state}</span> },
    {
      title: "To",
      cell: ({ channelId }) => channels.find((each) => each.channelId === channelId)?.target ?? channelId,
    },
    { title: "Message", cell: ({ event }) => event },
    { title: "Written", cell: ({ createTime }) => <Ago at={createTime} /> },
    { title: "Attempts", kind: "number", cell: ({ attempts }) => attempts },
    { title: "Last error", cell: ({ error }) => error ?? "" },
  ];
}

/** Shows the secret of a webhook, the only time that it can be seen. */
function SecretDialog({ secret }: { readonly secret: string }): JSX.Element {
  return (
    <Notice title="Signing secret">
      <p>
        <strong>Copy the secret now.</strong> It cannot be shown again.
      </p>
      <Copyable text={secret} label="Signing secret" />
      <p>
        With it, the receiver verifies that a message is from this server. The guide{" "}
        <a href={`${basePath}/docs/guides/alerts`}>Alerts</a> has the code.
      </p>
    </Notice>
  );
}
