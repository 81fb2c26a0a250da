import type { JSX } from "preact";
import type { Channel, Delivery } from "../../api/alerts.js";
import { agoText, momentText } from "../../lib/format.js";
import type { Resource } from "../../lib/resource.js";
import { Empty } from "../../parts/empty.js";
import { Table, type Column } from "../../parts/table.js";

interface DeliveriesProps {
  readonly deliveries: Resource<readonly Delivery[]>;
  readonly channels: readonly Channel[];
}

const states = { queued: "warn", delivered: "good", dead: "bad" } as const;

/** The newest messages, with the last error of those that were not accepted. */
export function Deliveries({ deliveries, channels }: DeliveriesProps): JSX.Element {
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
      keyOf={({ deliveryId }) => deliveryId}
      empty={
        <Empty title="No messages">
          <p>Messages to channels appear here, also those that a receiver did not accept.</p>
        </Empty>
      }
    />
  );
}
