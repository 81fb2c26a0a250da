/** Alerts: what is wrong, where alerts are sent, and what became of the messages. For owners. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { basePath } from "../lib/base-path.js";
import type {
  WireAlert,
  WireChannel,
  WireDelivery,
  WireNewChannel,
} from "../../http/management/alerts/present-alerts.js";
import { useList, type Resource } from "../lib/resource.js";
import { Notice, openDialog, Confirm, FormDialog } from "../parts/dialog.js";
import { Empty, PageHead } from "../parts/page.js";
import { Table, type Column, actionColumn } from "../parts/table.js";
import { Ago, Copyable, Moment } from "../parts/text.js";
import { useIsOperator, useTeam, useSignedIn } from "../session.js";
import { send } from "../lib/client.js";
import { showError, showToast } from "../parts/toast.js";
import { Field, Select } from "../parts/field.js";

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

interface ChannelsProps {
  readonly channels: Resource<readonly WireChannel[]>;
  /** Called when a test was queued. */
  readonly onTested: () => void;
}

/** Where alerts are sent, with a test of each. */
function Channels({ channels, onTested }: ChannelsProps): JSX.Element {
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
function ChannelDialog({ onAdded }: ChannelDialogProps): JSX.Element {
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
