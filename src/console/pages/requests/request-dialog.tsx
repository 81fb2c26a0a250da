import type { ComponentChildren, JSX } from "preact";
import type { WireRequest } from "../../../http/management/requests/requests.js";
import { isLive } from "../../api/requests.js";
import { countText, durationText } from "../../lib/format.js";
import { pageHref } from "../../lib/location.js";
import { usdText } from "../../lib/money.js";
import { Dialog } from "../../parts/dialog.js";
import { CopyButton, Moment } from "../../parts/text.js";
import { Bodies } from "./bodies.js";
import { StatusLabel } from "./columns.js";
import { speedText, readTimes } from "./describe.js";

/** What a state means. */
const requestStateTexts: Readonly<Record<WireRequest["status"], string>> = {
  queued: "It waits for its model or a slot.",
  running: "It is being answered.",
  completed: "It was answered.",
  failed: "It ended with an error.",
  aborted: "Its client left before the answer was complete.",
  cancelled: "It was cancelled here or by the command line.",
  interrupted: "The server stopped, or a job starts again later. It costs nothing.",
};

interface RequestDialogProps {
  /** Its newest version. */
  readonly listed: WireRequest;
  /** Opens another dialog in its place. */
  readonly onCancel: () => void;
  readonly onDelete: () => void;
  readonly onClose: () => void;
}

/** Everything that the log knows of a request, and what it and its answer had where the team keeps that. */
export function RequestDialog(props: RequestDialogProps): JSX.Element {
  const { listed: request, onCancel, onDelete, onClose } = props;
  return (
    <Dialog title={`Request to ${request.model}`} size="wide" onClose={onClose}>
      <div class="body request">
        <p>
          <StatusLabel request={request} /> {requestStateTexts[request.status]}
        </p>
        <Timeline request={request} />
        <Facts request={request} onClose={onClose} />
        <Bodies request={request} onDelete={onDelete} />
      </div>
      <footer>
        {isLive(request) && (
          <button type="button" class="danger" onClick={onCancel}>
            Cancel request
          </button>
        )}
        <button type="button" class="primary" onClick={onClose}>
          Done
        </button>
      </footer>
    </Dialog>
  );
}

interface FactsProps {
  readonly request: WireRequest;
  readonly onClose: () => void;
}

function Facts({ request, onClose }: FactsProps): JSX.Element {
  const { model, requestedModel, apiKeyId, apiKeyName, endpoint, streamed } = request;
  return (
    <dl class="facts">
      <Fact title="Accepted">
        <Moment at={request.createTime} />
      </Fact>
      <Fact title="Endpoint">
        <code>{endpoint}</code>
        {streamed !== undefined && (streamed ? ", as a stream" : ", as one answer")}
      </Fact>
      <Fact title="Model">
        <a href={pageHref("requests", { model })} onClick={onClose}>
          {model}
        </a>
        {requestedModel !== undefined && requestedModel !== model && (
          <>
            , asked as <code>{requestedModel}</code>
          </>
        )}
      </Fact>
      <Fact title="API key">
        <a href={pageHref("requests", { key: apiKeyId })} onClick={onClose}>
          {apiKeyName ?? apiKeyId}
        </a>
        {apiKeyName === undefined && ", which was deleted"}
      </Fact>
      <Tokens request={request} />
      <Fact title="Cost">{usdText(request.costUsd)}</Fact>
      {request.finishReason !== undefined && (
        <Fact title="Finish reason">
          <code>{request.finishReason}</code>
        </Fact>
      )}
      {request.errorKind !== undefined && (
        <Fact title="Error">
          <code>{request.errorKind}</code>
        </Fact>
      )}
      <Id title="ID" id={request.id} />
      <Id title="Request ID" id={request.requestId} />
    </dl>
  );
}

function Tokens({ request }: { readonly request: WireRequest }): JSX.Element {
  const { promptTokens, cachedTokens, completionTokens, reasoningTokens, images } = request;
  const ofAnswer = [
    images > 0 ? `${countText(images)} images` : null,
    images === 0 || completionTokens > 0 ? `${countText(completionTokens)} tokens` : null,
    reasoningTokens > 0 ? `${countText(reasoningTokens)} of reasoning` : null,
  ];
  return (
    <>
      <Fact title="Prompt">
        {countText(promptTokens)} tokens
        {cachedTokens > 0 && `, of which ${countText(cachedTokens)} were cached`}
      </Fact>
      <Fact title="Answer">{ofAnswer.filter((part) => part !== null).join(", and ")}</Fact>
    </>
  );
}

interface FactProps {
  readonly title: string;
  readonly children: ComponentChildren;
}

function Fact({ title, children }: FactProps): JSX.Element {
  return (
    <div>
      <dt>{title}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Id({ title, id }: { readonly title: string; readonly id: string }): JSX.Element {
  return (
    <Fact title={title}>
      <span class="id">
        <code>{id}</code> <CopyButton text={id} />
      </span>
    </Fact>
  );
}

/** The width of the drawing, in its own units. */
const width = 1000;
/** A part that took any time can be seen. */
const partMin = 4;

/** How long a request waited, its prompt was evaluated and its answer was generated: as a bar and in numbers. */
function Timeline({ request }: { readonly request: WireRequest }): JSX.Element {
  const { queueMs, prefillMs, decodeMs, totalMs, tokensPerSecond } = readTimes(request);
  const parts = [
    { name: "queue", title: "Waiting", ms: queueMs },
    { name: "prefill", title: decodeMs === null && prefillMs !== null ? "Working" : "Prompt", ms: prefillMs },
    { name: "decode", title: "Answer", ms: decodeMs },
  ];
  const scale = width / Math.max(1, totalMs);
  let x = 0;
  return (
    <figure class="timeline">
      <svg viewBox={`0 0 ${width} 12`} preserveAspectRatio="none" aria-hidden="true">
        {parts.map(({ name, ms }) => {
          const length = ms === null || ms === 0 ? 0 : Math.max(partMin, ms * scale);
          const start = x;
          x += length;
          return <rect key={name} class={name} x={start} y={0} width={length} height={12} />;
        })}
      </svg>
      <dl>
        {parts.map(({ name, title, ms }) => (
          <div key={name}>
            <dt class={name}>{title}</dt>
            <dd>{ms === null ? "–" : durationText(ms)}</dd>
          </div>
        ))}
        <div>
          <dt>Together</dt>
          <dd>{durationText(totalMs)}</dd>
        </div>
        {tokensPerSecond !== null && (
          <div>
            <dt>Speed</dt>
            <dd>{speedText(tokensPerSecond)} tokens/s</dd>
          </div>
        )}
      </dl>
    </figure>
  );
}
