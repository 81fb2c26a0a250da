import type { JSX } from "preact";
import { isLive, type LoggedRequest } from "../../api/requests.js";
import { countText, durationText, momentText, timeText } from "../../lib/format.js";
import { usdText } from "../../lib/money.js";
import type { Column } from "../../parts/table.js";
import { speedText, stateClasses, readTimes } from "./describe.js";

export interface OpenRequest {
  readonly kind: "details" | "cancel" | "delete-bodies";
  readonly request: LoggedRequest;
}

/** Returns the columns of the list. */
export function requestColumns(open: (dialog: OpenRequest) => void): readonly Column<LoggedRequest>[] {
  return [
    {
      title: "Accepted",
      cell: ({ createTime }) => (
        <time class="whole" dateTime={createTime} title={momentText(createTime)}>
          {timeText(createTime)}
        </time>
      ),
    },
    { title: "Request", cell: (request) => <Named request={request} onOpen={open} /> },
    { title: "State", cell: (request) => <RequestState request={request} /> },
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
    {
      title: "Actions",
      kind: "actions",
      cell: (request) =>
        isLive(request) && (
          <button
            type="button"
            aria-label={`Cancel the request to ${request.model}`}
            onClick={() => open({ kind: "cancel", request })}
          >
            Cancel
          </button>
        ),
    },
  ];
}

/** The state in one word. */
export function RequestState({ request: { status } }: { readonly request: LoggedRequest }): JSX.Element {
  return <span class={`state ${stateClasses[status]}`}>{status}</span>;
}

interface NamedProps {
  readonly request: LoggedRequest;
  readonly onOpen: (dialog: OpenRequest) => void;
}

function Named({ request, onOpen }: NamedProps): JSX.Element {
  const { model, endpoint, apiKeyName, errorKind } = request;
  return (
    <>
      <button type="button" class="link model-name" onClick={() => onOpen({ kind: "details", request })}>
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

function promptText({ status, promptTokens, cachedTokens }: LoggedRequest): JSX.Element | string {
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
}: LoggedRequest): JSX.Element | string {
  if (status === "queued") return "–";
  if (images > 0) return images === 1 ? "1 image" : `${countText(images)} images`;
  return (
    <>
      {countText(completionTokens + reasoningTokens)}
      {reasoningTokens > 0 && <small class="below">{countText(reasoningTokens)} reasoning</small>}
    </>
  );
}

function Took({ request }: { readonly request: LoggedRequest }): JSX.Element {
  const { totalMs, tokensPerSecond } = readTimes(request);
  return (
    <>
      {durationText(totalMs)}
      {tokensPerSecond !== null && <small class="below">{speedText(tokensPerSecond)} tokens/s</small>}
    </>
  );
}
