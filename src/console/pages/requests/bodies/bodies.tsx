/** What a request and its answer had, or why that is not there. */
import type { JSX } from "preact";
import type { WireRequest, WireRequestDetails } from "../../../../http/management/requests/requests.js";
import type { WireTeam } from "../../../../http/management/teams/present-team.js";
import { isLive, toRequestPath } from "../../../api/requests.js";
import { now } from "../../../lib/clock.js";
import { pageHref } from "../../../lib/location.js";
import { useGet } from "../../../lib/resource.js";
import { ErrorBox, Loading } from "../../../parts/page.js";
import { CopyButton, Moment } from "../../../parts/text.js";
import { useRole, useTeam } from "../../../session.js";
import { KeptMessages } from "./kept-messages.js";

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
