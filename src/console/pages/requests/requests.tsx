/** Requests: what the models answer now and have answered, with times, tokens and cost. */
import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { WireRequest } from "../../../http/management/requests/requests.js";
import { loadRequest, toRequestPath, type RequestLogQuery } from "../../api/requests.js";
import { send } from "../../lib/client.js";
import { plural } from "../../lib/format.js";
import { pageHref, useLocation, setQuery } from "../../lib/location.js";
import { Confirm, openDialog } from "../../parts/dialog.js";
import { SearchField, Select } from "../../parts/field.js";
import { Empty, PageHead } from "../../parts/page.js";
import { Table } from "../../parts/table.js";
import { useTeam } from "../../session.js";
import { requestColumns } from "./columns.js";
import { RequestDialog } from "./request-dialog.js";
import { useRequests } from "./use-requests.js";
import { now } from "../../lib/clock.js";

/** The page. */
export function RequestsPage(): JSX.Element {
  const { teamId } = useTeam();
  const { query } = useLocation();
  const address = query.toString();
  // The start of a span such as the last hour stays until the filter changes, so that the pages of the list fit together.
  const filter = useMemo(() => readRequestLogQuery(teamId, new URLSearchParams(address)), [teamId, address]);
  const requests = useRequests(filter);
  // This dialog changes with its request, so the page renders it.
  const [shown, setShown] = useState<WireRequest | null>(null);
  const close = (): void => setShown(null);
  const showNewer = (): void => {
    scrollTo(0, 0);
    requests.reload();
  };
  const cancel = (request: WireRequest): void => {
    close();
    openDialog(<CancelDialog request={request} onChanged={requests.update} />);
  };
  return (
    <>
      <PageHead title="Requests">
        <SearchField label="Search requests" />
      </PageHead>
      <Filters query={query} requests={requests.value ?? []} />
      <p class="newer" role="status">
        {requests.newer > 0 && (
          <button type="button" onClick={showNewer}>
            Show {plural(requests.newer, "new request")}
          </button>
        )}
      </p>
      <Table
        label="Requests"
        columns={requestColumns(setShown, cancel)}
        rows={requests}
        getKey={({ id }) => id}
        empty={<NoRequests filter={filter} />}
      />
      {shown !== null && (
        <RequestDialog
          listed={findNewest(shown, requests.value)}
          onCancel={() => cancel(shown)}
          onDelete={() => {
            close();
            openDialog(<DeleteTextsDialog request={shown} />);
          }}
          onClose={close}
        />
      )}
    </>
  );
}

/** Returns the request as the list has it now. */
function findNewest(request: WireRequest, list: readonly WireRequest[] | null): WireRequest {
  return list?.find(({ id }) => id === request.id) ?? request;
}

function NoRequests({ filter }: { readonly filter: RequestLogQuery }): JSX.Element {
  if (isFiltered(filter))
    return (
      <Empty title="No request matches">
        <p>Requests are searched by ID, model, endpoint and the name of the API key.</p>
        <a class="button" href={pageHref("requests")}>
          Show all requests
        </a>
      </Empty>
    );
  return (
    <Empty title="No requests yet">
      <p>Every request to a model appears here while it waits, runs and when it has ended.</p>
      <a class="button" href={pageHref("playground")}>
        Send one in the playground
      </a>
    </Empty>
  );
}

interface CancelDialogProps {
  readonly request: WireRequest;
  /** Called with the request as it is then. */
  readonly onChanged: (request: WireRequest) => void;
}

/** Asks before a request is cancelled. */
function CancelDialog({ request, onChanged }: CancelDialogProps): JSX.Element {
  const cancel = async (): Promise<void> => {
    try {
      onChanged(await send<WireRequest>("POST", `${toRequestPath(request.id)}/cancel`));
    } catch (thrown) {
      // It may have ended by itself, which the list then shows.
      void loadRequest(request.id).then(onChanged, () => undefined);
      throw thrown;
    }
  };
  return (
    <Confirm title="Cancel request" done="The request is cancelled." onSubmit={cancel}>
      <p>
        The answer of <strong>{request.model}</strong> to the API key{" "}
        <strong>{request.apiKeyName ?? request.apiKeyId}</strong> ends with an error. What was generated until
        then is charged.
      </p>
    </Confirm>
  );
}

/** Asks before what was kept of a request is deleted. */
function DeleteTextsDialog({ request }: { readonly request: WireRequest }): JSX.Element {
  return (
    <Confirm
      title="Delete texts"
      done="The texts of the request are deleted."
      onSubmit={() => send("DELETE", `${toRequestPath(request.id)}/bodies`)}
    >
      <p>
        What the request to <strong>{request.model}</strong> and its answer had is deleted. The request stays
        in the list, with its tokens and cost. This cannot be undone.
      </p>
    </Confirm>
  );
}

const minuteMs = 60_000;

const spans = [
  ["", "At any time", null],
  ["15m", "Last 15 minutes", 15 * minuteMs],
  ["1h", "Last hour", 60 * minuteMs],
  ["24h", "Last 24 hours", 24 * 60 * minuteMs],
  ["7d", "Last 7 days", 7 * 24 * 60 * minuteMs],
] as const;

const statuses: readonly (readonly [WireRequest["status"] | "", string])[] = [
  ["", "In any state"],
  ["queued", "Queued"],
  ["running", "Running"],
  ["completed", "Completed"],
  ["failed", "Failed"],
  ["aborted", "Aborted"],
  ["cancelled", "Cancelled"],
  ["interrupted", "Interrupted"],
];

/** Reads the filter from the address of the page. */
function readRequestLogQuery(teamId: string, query: URLSearchParams): RequestLogQuery {
  const status = statuses.find(([each]) => each === query.get("status"))?.[0] ?? "";
  const spanMs = spans.find(([each]) => each === query.get("time"))?.[2] ?? null;
  return {
    teamId,
    query: query.get("q") ?? "",
    status,
    apiKeyId: query.get("key") ?? "",
    model: query.get("model") ?? "",
    since: spanMs === null ? "" : new Date(now() - spanMs).toISOString(),
  };
}

/** Whether the filter can leave requests out. */
function isFiltered({ teamId: _, ...filter }: RequestLogQuery): boolean {
  return Object.values(filter).some((each) => each !== "");
}

interface FiltersProps {
  readonly query: URLSearchParams;
  /** Have the name of the key. */
  readonly requests: readonly WireRequest[];
}

/** State, time, and the key and the model that were chosen in the details of a request. */
function Filters({ query, requests }: FiltersProps): JSX.Element {
  const [key, model] = [query.get("key") ?? "", query.get("model") ?? ""];
  const keyName = requests.find(({ apiKeyId }) => apiKeyId === key)?.apiKeyName ?? key;
  const status = statuses.find(([each]) => each === query.get("status"))?.[0] ?? "";
  const time = spans.find(([each]) => each === query.get("time"))?.[0] ?? "";
  return (
    <div class="filters">
      <Select
        label="State"
        value={status}
        options={statuses}
        onValue={(value) => setQuery({ status: value })}
      />
      <Select
        label="Accepted"
        value={time}
        options={spans.map(([name, text]) => [name, text] as const)}
        onValue={(value) => setQuery({ time: value })}
      />
      {key !== "" && <Chip label="API key" value={keyName} onRemove={() => setQuery({ key: "" })} />}
      {model !== "" && <Chip label="Model" value={model} onRemove={() => setQuery({ model: "" })} />}
    </div>
  );
}

interface ChipProps {
  readonly label: string;
  readonly value: string;
  readonly onRemove: () => void;
}

/** A filter that can only be taken away here. */
function Chip({ label, value, onRemove }: ChipProps): JSX.Element {
  return (
    <p class="field">
      <span class="chip-label">{label}</span>
      <button type="button" class="chip" aria-label={`Any ${label}, not only ${value}`} onClick={onRemove}>
        <span>{value}</span> <span aria-hidden="true">×</span>
      </button>
    </p>
  );
}
