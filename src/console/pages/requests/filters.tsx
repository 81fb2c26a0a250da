import type { JSX } from "preact";
import type { WireRequest } from "../../../http/management/requests/requests.js";
import type { RequestLogQuery } from "../../api/requests.js";
import { now } from "../../lib/clock.js";
import { setQuery } from "../../lib/location.js";
import { Select } from "../../parts/field.js";

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
export function readRequestLogQuery(teamId: string, query: URLSearchParams): RequestLogQuery {
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
export function isFiltered({ teamId: _, ...filter }: RequestLogQuery): boolean {
  return Object.values(filter).some((each) => each !== "");
}

interface FiltersProps {
  readonly query: URLSearchParams;
  /** Have the name of the key. */
  readonly requests: readonly WireRequest[];
}

/** State, time, and the key and the model that were chosen in the details of a request. */
export function Filters({ query, requests }: FiltersProps): JSX.Element {
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
