import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { removeChannel, testChannel, type Channel } from "../../api/alerts.js";
import type { Resource } from "../../lib/resource.js";
import { useSignedIn } from "../../session.js";
import { Confirm } from "../../parts/confirm.js";
import { Empty } from "../../parts/empty.js";
import { Table, type Column } from "../../parts/table.js";
import { showError, showToast } from "../../parts/toast.js";

interface ChannelsProps {
  readonly channels: Resource<readonly Channel[]>;
  /** Called when a test was queued. */
  readonly onTested: () => void;
}

/** Where alerts are sent, with a test of each. */
export function Channels({ channels, onTested }: ChannelsProps): JSX.Element {
  const { teams } = useSignedIn();
  const [removed, setRemoved] = useState<Channel | null>(null);
  const test = (channel: Channel): void =>
    void testChannel(channel).then(() => {
      showToast("A test alert is on its way. See Messages for what becomes of it.");
      onTested();
    }, showError);
  const remove = async (channel: Channel): Promise<void> => {
    await removeChannel(channel);
    showToast("The channel is removed.");
    channels.reload();
  };
  const columns: readonly Column<Channel>[] = [
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
    {
      title: "Actions",
      kind: "actions",
      cell: (channel) => (
        <>
          <button type="button" onClick={() => test(channel)}>
            Send test
          </button>
          <button type="button" onClick={() => setRemoved(channel)}>
            Remove
          </button>
        </>
      ),
    },
  ];
  return (
    <>
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
      {removed !== null && (
        <Confirm
          title="Remove channel"
          action="Remove channel"
          onConfirm={() => remove(removed)}
          onClose={() => setRemoved(null)}
        >
          <p>
            No more alerts are sent to <strong>{removed.target}</strong>.
          </p>
        </Confirm>
      )}
    </>
  );
}
