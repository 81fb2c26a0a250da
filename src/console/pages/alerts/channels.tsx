import type { JSX } from "preact";
import type { WireChannel } from "../../../http/management/alerts/present-alerts.js";
import { send } from "../../lib/client.js";
import type { Resource } from "../../lib/resource.js";
import { Confirm, openDialog } from "../../parts/dialog.js";
import { Empty } from "../../parts/page.js";
import { actionColumn, Table, type Column } from "../../parts/table.js";
import { showError, showToast } from "../../parts/toast.js";
import { useSignedIn } from "../../session.js";

interface ChannelsProps {
  readonly channels: Resource<readonly WireChannel[]>;
  /** Called when a test was queued. */
  readonly onTested: () => void;
}

/** Where alerts are sent, with a test of each. */
export function Channels({ channels, onTested }: ChannelsProps): JSX.Element {
  const { teams } = useSignedIn();
  const test = ({ channelId }: WireChannel): void =>
    void send("POST", `/admin/alerts/channels/${channelId}/test`).then(() => {
      showToast("A test alert is on its way. See Messages for what becomes of it.");
      onTested();
    }, showError);
  const columns: readonly Column<WireChannel>[] = [
    { title: "To", cell: ({ target }) => <strong>{target}</strong> },
    { title: "Kind", cell: ({ kind }) => (kind === "webhook" ? "Webhook" : "E-mail") },
    {
      title: "Alerts of",
      cell: ({ teamId }) =>
        teamId === undefined
          ? "the whole server"
          : (teams.find((team) => team.teamId === teamId)?.name ?? teamId),
    },
    {
      title: "Credit below",
      cell: ({ creditBelowUsd }) => (creditBelowUsd === undefined ? "default" : `$${creditBelowUsd}`),
    },
    actionColumn((channel) => [
      { text: "Send test", onClick: () => test(channel) },
      {
        text: "Remove",
        onClick: () => openDialog(<RemoveDialog channel={channel} onRemoved={channels.reload} />),
      },
    ]),
  ];
  return (
    <Table
      label="Channels"
      columns={columns}
      rows={channels}
      getKey={({ channelId }) => channelId}
      empty={
        <Empty title="No channels">
          <p>Add a webhook or an e-mail address, so that alerts reach you when you are not here.</p>
        </Empty>
      }
    />
  );
}

interface RemoveDialogProps {
  readonly channel: WireChannel;
  readonly onRemoved: () => void;
}

function RemoveDialog({ channel: { channelId, target }, onRemoved }: RemoveDialogProps): JSX.Element {
  return (
    <Confirm
      title="Remove channel"
      done="The channel is removed."
      onSubmit={() => send("DELETE", `/admin/alerts/channels/${channelId}`).then(onRemoved)}
    >
      <p>
        No more alerts are sent to <strong>{target}</strong>.
      </p>
    </Confirm>
  );
}
