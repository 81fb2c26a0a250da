import type { JSX } from "preact";
import type { WireRequest } from "../../../http/management/requests/requests.js";
import { isLive } from "../../api/requests.js";
import { countText, durationText, momentText, timeText } from "../../lib/format.js";
import { usdText } from "../../lib/money.js";
import { actionColumn, type Column } from "../../parts/table.js";
import { speedText, readTimes } from "./describe.js";

/** The classes of states, as the styles have them. */
const stateClasses: Readonly<Record<WireRequest["status"], "" | "good" | "warn" | "bad" | "live">> = {
  queued: "warn",
  running: "live",
  completed: "good",
  failed: "bad",
  aborted: "",
  cancelled: "",
  interrupted: "",
};

/** What opens the dialogs of a request. */
type OpenRequest = (request: WireRequest) => void;

/** Returns the columns of the list. @param show opens the details @param cancel asks whether to cancel */
export function requestColumns(show: OpenRequest, cancel: OpenRequest): readonly Column<WireRequest>[] {
  return [
    {
      title: "Accepted",
      cell: ({ createTime }) => (
        <time class="whole" dateTime={createTime} title={momentText(createTime)}>
          {timeText(createTime)}
        </time>
      ),
    },
    { title: "Request", cell: (request) => <Named request={request} onShow={show} /> },
    { title: "State", cell: (request) => <StatusLabel request={request} /> },
    { title: "Prompt", kind: "number", cell: promptText },
    { title: "Answer", kind: "number", cell: answerText },
    {
      title: "First token",
      kind: "number",
      cell: (request) => {
        const { queueMs, prefillMs, decodeMs } = readTimes(request);
        return decodeMs === null ? "–" : durationText((queueMs ?? 0) + (prefillMs ?? 0));
      },
    },
    { title: "Took", kind: "number", cell: (request) => <Took request={request} /> },
    { title: "Cost", kind: "number", cell: ({ costUsd }) => usdText(costUsd) },
    actionColumn((request) => [
      isLive(request) && {
        text: "Cancel",
        label: `Cancel the request to ${request.model}`,
        onClick: () => cancel(request),
      },
    ]),
  ];
}

/** The state in one word. */
export function StatusLabel({ request: { status } }: { readonly request: WireRequest }): JSX.Element {
  return <span class={`state ${stateClasses[status]}`}>{status}</span>;
}

interface NamedProps {
  readonly request: WireRequest;
  readonly onShow: OpenRequest;
}

function Named({ request, onShow }: NamedProps): JSX.Element {
  const { model, endpoint, apiKeyName, errorKind } = request;
  return (
    <>
      <button type="button" class="link model-name" onClick={() => onShow(request)}>
        {model}
      </button>
      <code class="below whole">{endpoint}</code>
      <small class="below">
        {apiKeyName ?? "a deleted key"}
        {errorKind !== undefined && errorKind !== "cancelled" && <span class="problem"> · {errorKind}</span>}
      </small>
    </>
  );
}

function promptText({ status, promptTokens, cachedTokens }: WireRequest): JSX.Element | string {
  if (status === "queued") return "–";
  return (
    <>
      {countText(promptTokens)}
      {cachedTokens > 0 && <small class="below">{countText(cachedTokens)} cached</small>}
    </>
  );
}

function answerText({
  status,
  completionTokens,
  reasoningTokens,
  images,
}: WireRequest): JSX.Element | string {
  if (status === "queued") return "–";
  if (images > 0) return images === 1 ? "1 image" : `${countText(images)} images`;
  return (
    <>
      {countText(completionTokens + reasoningTokens)}
      {reasoningTokens > 0 && <small class="below">{countText(reasoningTokens)} reasoning</small>}
    </>
  );
}

function Took({ request }: { readonly request: WireRequest }): JSX.Element {
  const { totalMs, tokensPerSecond } = readTimes(request);
  return (
    <>
      {durationText(totalMs)}
      {tokensPerSecond !== null && <small class="below">{speedText(tokensPerSecond)} tokens/s</small>}
    </>
  );
}
