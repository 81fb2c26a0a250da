/** Overview: what the server does now, what it has done today, and the next steps on a new server. */
import { serverAddress } from "../../lib/base-path.js";
import type { JSX } from "preact";
import type { Overview } from "../../../http/management/overview.js";
import { listKeyModels } from "../../api/models.js";
import { now } from "../../lib/clock.js";
import { sizeText } from "../../../core/report/size-text.js";
import { pageHref, setQuery, useLocation } from "../../lib/location.js";
import { loaded, useGet, useResource } from "../../lib/resource.js";
import { Empty, Loaded, PageHead } from "../../parts/page.js";
import { Table, type Column } from "../../parts/table.js";
import { Ago, Copyable } from "../../parts/text.js";
import { useIsOperator, useSignedIn } from "../../session.js";
import { OverviewFigures } from "./figures.js";

const refreshMs = 3000;

/** The page. */
export function OverviewPage(): JSX.Element {
  const { session, team } = useSignedIn();
  const { query } = useLocation();
  const isOfServer = session.member.teamId === undefined;
  const teamId = isOfServer && query.get("show") !== "team" ? undefined : team?.teamId;
  const from = new Date(startOfToday()).toISOString();
  const overview = useGet<Overview>("/admin/overview", { teamId, from }, refreshMs);
  return (
    <>
      <PageHead title="Overview">
        {isOfServer && team !== null && <Scope team={team.name} isTeam={teamId !== undefined} />}
      </PageHead>
      <Loaded from={overview}>
        {(value) => (
          <>
            {value.today.requests === 0 && value.running + value.waiting === 0 && <NextSteps />}
            <OverviewFigures overview={value} />
            <h2>Models in memory</h2>
            <Table
              label="Models in memory"
              columns={columns}
              rows={loaded(value.models)}
              getKey={({ id }) => id}
              empty={
                <Empty title="No model is in memory">
                  <p>The first request for a model loads it.</p>
                  <a class="button" href={pageHref("models")}>
                    Show all models
                  </a>
                </Empty>
              }
            />
          </>
        )}
      </Loaded>
    </>
  );
}

interface ScopeProps {
  readonly team: string;
  readonly isTeam: boolean;
}

/** The choice between the whole server and the team of the page. */
function Scope({ team, isTeam }: ScopeProps): JSX.Element {
  return (
    <select
      aria-label="Numbers of"
      value={isTeam ? "team" : ""}
      onChange={({ currentTarget: { value: show } }) => setQuery({ show })}
    >
      <option value="">The whole server</option>
      <option value="team">The team {team}</option>
    </select>
  );
}

const columns: readonly Column<Overview["models"][number]>[] = [
  { title: "Model", cell: ({ id }) => <strong class="model-name">{id}</strong> },
  {
    title: "Memory",
    kind: "number",
    cell: ({ bytes, device }) => `${sizeText(bytes)}${device === "cpu" ? "" : ` on ${device}`}`,
  },
  { title: "Slots in use", kind: "number", cell: ({ slots, slotsHeld }) => `${slotsHeld} of ${slots}` },
  {
    title: "Leaves memory",
    cell: ({ until }) => (until === null ? "in use" : <Ago at={until} />),
  },
];

/** Returns midnight in the time of this machine; milliseconds since 1970. */
function startOfToday(): number {
  return new Date(now()).setHours(0, 0, 0, 0);
}

/** What to do on a server that no program uses yet. */
function NextSteps(): JSX.Element {
  const { team } = useSignedIn();
  const teamId = team?.teamId;
  const models = useResource(
    (signal) => (teamId === undefined ? Promise.resolve([]) : listKeyModels(teamId, signal)),
    [teamId],
  );
  const isOperator = useIsOperator();
  return (
    <section class="panel" aria-label="Next steps">
      <h2>No request today: next steps</h2>
      <ol class="steps">
        <li>
          <a href={pageHref("keys")}>Create an API key</a> for your program.
        </li>
        <li>
          <p>
            Send a request. Clients of OpenAI take the address <code>{serverAddress}/v1</code>.
          </p>
          {models.value !== null && (
            <Copyable label="Command of a first request" text={writeCommand(models.value[0])} />
          )}
        </li>
        <li>
          <a href={pageHref("models")}>{isOperator ? "Add a model" : "See the models"}</a>
          {isOperator ? " from the hub: those that are built in are small." : " that you may use."}
        </li>
        <li>
          Or try them in the <a href={pageHref("playground")}>playground</a>, without a key.
        </li>
      </ol>
    </section>
  );
}

function writeCommand(model = "MODEL"): string {
  const body = JSON.stringify({ model, messages: [{ role: "user", content: "Hello!" }] });
  return [
    `curl ${serverAddress}/v1/chat/completions`,
    `-H "Authorization: Bearer YOUR_KEY"`,
    `-H "Content-Type: application/json"`,
    `-d '${body}'`,
  ].join(" ");
}
