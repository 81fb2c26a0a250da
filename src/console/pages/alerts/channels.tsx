import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { WireChannel, WireNewChannel } from "../../../http/management/alerts/present-alerts.js";
import { send } from "../../lib/client.js";
import type { Resource } from "../../lib/resource.js";
import { Confirm, openDialog, FormDialog } from "../../parts/dialog.js";
import { Empty } from "../../parts/page.js";
import { actionColumn, Table, type Column } from "../../parts/table.js";
import { showError, showToast } from "../../parts/toast.js";
import { useSignedIn, useIsOperator, useTeam } from "../../session.js";
import { Field, Select } from "../../parts/field.js";

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

interface ChannelDialogProps {
  /** Called with the secret of a webhook. */
  readonly onAdded: (channel: WireNewChannel) => void;
}

/** Asks for a channel. */
export function ChannelDialog({ onAdded }: ChannelDialogProps): JSX.Element {
  const { teamId, name } = useTeam();
  const isOperator = useIsOperator();
  const [kind, setKind] = useState<WireChannel["kind"]>("webhook");
  const [scope, setScope] = useState<"server" | "team">(isOperator ? "server" : "team");
  const [target, setTarget] = useState("");
  const [credit, setCredit] = useState("");
  const save = async (): Promise<void> => {
    const body = {
      teamId: scope === "team" ? teamId : undefined,
      kind,
      target: target.trim(),
      creditBelowUsd: credit.trim() || undefined,
    };
    onAdded(await send<WireNewChannel>("POST", "/admin/alerts/channels", body));
  };
  return (
    <FormDialog title="Add channel" done="The channel is added." onSubmit={save}>
      <Select
        label="Send to"
        value={kind}
        onValue={setKind}
        options={[
          ["webhook", "A webhook"],
          ["email", "An e-mail address"],
        ]}
      />
      <Field
        label={kind === "webhook" ? "URL" : "E-mail address"}
        type={kind === "webhook" ? "url" : "email"}
        required
        hint={kind === "webhook" ? "An https URL; each message is signed." : undefined}
        value={target}
        onValue={setTarget}
      />
      {isOperator && (
        <Select
          label="Alerts of"
          value={scope}
          onValue={setScope}
          options={[
            ["server", "The whole server and all teams"],
            ["team", `Team ${name}`],
          ]}
        />
      )}
      <Field
        label="Alert when credit is below, in USD"
        hint="Such as 12.50; the amount of the server's settings when it is empty."
        value={credit}
        onValue={setCredit}
      />
    </FormDialog>
  );
}
