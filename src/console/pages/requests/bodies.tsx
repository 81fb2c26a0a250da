/** What a request and its answer had, or why that is not there. */
import type { JSX } from "preact";
import type { WireRequest, WireRequestDetails } from "../../../http/management/requests/requests.js";
import type { WireTeam } from "../../../http/management/teams/present-team.js";
import { isLive, toRequestPath } from "../../api/requests.js";
import { now } from "../../lib/clock.js";
import { pageHref } from "../../lib/location.js";
import { useGet } from "../../lib/resource.js";
import { ErrorBox, Loading } from "../../parts/page.js";
import { CopyButton, Moment } from "../../parts/text.js";
import { useRole, useTeam } from "../../session.js";
import { countText, indentedJson } from "../../lib/format.js";

/** What is kept is written after the request has ended: for so long it is asked for again. */
const freshMs = 5000;
const refreshMs = 1000;

interface BodiesProps {
  readonly request: WireRequest;
  readonly onDelete: () => void;
}

/** The section of the details. */
export function Bodies({ request, onDelete }: BodiesProps): JSX.Element {
  const team = useTeam();
  return (
    <section class="bodies" aria-labelledby="bodies">
      <h3 id="bodies">Request and answer</h3>
      {team.keepBodies && !isLive(request) ? (
        <Texts request={request} onDelete={onDelete} />
      ) : (
        <Absent team={team} />
      )}
    </section>
  );
}

function Texts({ request: { id, endTime }, onDelete }: BodiesProps): JSX.Element {
  const isFresh = endTime !== undefined && now() - new Date(endTime).getTime() < freshMs;
  const { value, error, reload } = useGet<WireRequestDetails>(
    toRequestPath(id),
    {},
    isFresh ? refreshMs : undefined,
  );
  if (error !== null) return <ErrorBox error={error} onRetry={reload} />;
  if (value === null) return <Loading />;
  if (value.bodies === undefined)
    return (
      <p class="hint">
        Nothing is kept of this request: it asked for that with <code>store: false</code>, came before the
        team kept texts, or what was kept has expired or was deleted.
      </p>
    );
  return <Kept bodies={value.bodies} onDelete={onDelete} />;
}

interface KeptProps {
  readonly bodies: NonNullable<WireRequestDetails["bodies"]>;
  readonly onDelete: () => void;
}

function Kept({ bodies, onDelete }: KeptProps): JSX.Element {
  const { input, output, isCut, expireTime } = bodies;
  return (
    <>
      <div class="bodies-head">
        <p class="hint">
          Kept until <Moment at={expireTime} />
          {isCut && ", without what was too long"}.
        </p>
        <CopyButton text={JSON.stringify({ input, output }, null, 2)}>Copy as JSON</CopyButton>
        <button type="button" onClick={onDelete}>
          Delete texts
        </button>
      </div>
      <KeptMessages label="What the model read" messages={input} />
      <KeptMessages label="What the model wrote" messages={output} />
    </>
  );
}

/** Says why there are none, and what to do about it. */
function Absent({ team }: { readonly team: WireTeam }): JSX.Element {
  const isOwner = useRole("owner");
  if (team.keepBodies) return <p class="hint">They are shown here when the request has ended.</p>;
  return (
    <p class="hint">
      The team {team.name} does not keep what its requests and their answers have.{" "}
      {isOwner ? (
        <>
          You can turn that on, for requests from then on, on the page{" "}
          <a href={pageHref("members")}>Members</a>.
        </>
      ) : (
        "An owner of the team can turn that on."
      )}
    </p>
  );
}

type Message = NonNullable<WireRequestDetails["bodies"]>["input"][number];
type Part = Message["parts"][number];

interface KeptMessagesProps {
  readonly label: string;
  readonly messages: readonly Message[];
}

/** Messages as text: nothing in them is markup, and no address in them is asked for. */
function KeptMessages({ label, messages }: KeptMessagesProps): JSX.Element {
  return (
    <section aria-label={label}>
      <h4>{label}</h4>
      {messages.length === 0 && <p class="hint">Nothing.</p>}
      <ol class="kept">
        {messages.map(({ role, parts, finish_reason: finishReason }, index) => (
          <li key={index} class={role}>
            <p class="kept-role">
              <strong>{role}</strong>
              {finishReason !== undefined && <span class="hint">ended with {finishReason}</span>}
            </p>
            {parts.length === 0 && <p class="hint">no text</p>}
            {parts.map((part, at) => (
              <KeptPart key={at} part={part} />
            ))}
          </li>
        ))}
      </ol>
    </section>
  );
}

function KeptPart({ part }: { readonly part: Part }): JSX.Element {
  switch (part.type) {
    case "text":
      return <Text label="Text" text={toText(part, "content")} />;
    case "reasoning":
      return (
        <details class="kept-reasoning">
          <summary>Reasoning</summary>
          <Text label="Reasoning" text={toText(part, "content")} />
        </details>
      );
    case "tool_call":
      return (
        <>
          <p class="hint">
            calls <code>{toText(part, "name")}</code>, as <code>{toText(part, "id")}</code>
          </p>
          <Text
            label={`Arguments of ${toText(part, "name")}`}
            text={indentedJson(toText(part, "arguments"))}
          />
        </>
      );
    case "tool_call_response":
      return (
        <>
          <p class="hint">
            result of <code>{toText(part, "id")}</code>
          </p>
          <Text label="Result" text={toText(part, "response")} />
        </>
      );
    default:
      return <p class="hint">{describeFile(part)}</p>;
  }
}

function Text({ label, text }: { readonly label: string; readonly text: string }): JSX.Element {
  return (
    <pre tabIndex={0} role="group" aria-label={label}>
      {text}
    </pre>
  );
}

/** Says what stands for an image, or for tokens. */
function describeFile(part: Part): string {
  if (part.type === "uri") return `image at ${toText(part, "uri")}`;
  if (part.type === "blob")
    return `image, ${toText(part, "mime_type")}, ${countText(Number(part["chars"]))} characters, not kept`;
  if (part.type === "tokens") return `${countText(Number(part["tokens"]))} tokens, not kept`;
  return part.type;
}

function toText(part: Part, name: string): string {
  const value = part[name];
  return typeof value === "string" ? value : "";
}
