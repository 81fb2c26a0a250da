/** Overview: what the server does now, what it has done today, and the next steps on a new server. */
import type { JSX, ComponentChildren } from "preact";
import { serverAddress } from "../lib/base-path.js";
import type { Overview } from "../../http/management/overview.js";
import { listKeyModels } from "../api/models.js";
import { now } from "../lib/clock.js";
import { sizeText } from "../../core/report/size-text.js";
import { pageHref, setQuery, useLocation } from "../lib/location.js";
import { loaded, useGet, useResource } from "../lib/resource.js";
import { Empty, Loaded, PageHead } from "../parts/page.js";
import { Table, type Column } from "../parts/table.js";
import { Ago, Copyable } from "../parts/text.js";
import { useIsOperator, useSignedIn, useRole } from "../session.js";
import { compactText, countText, dollarsText } from "../lib/format.js";

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

/** The seconds of which the speed now is the average. */
const nowSeconds = 5;

/** The numbers of the overview. */
function OverviewFigures({ overview }: { readonly overview: Overview }): JSX.Element {
  const { running, waiting, today, memory, credits } = overview;
  const ofKeys = useRole("admin") ? "" : " by your keys";
  return (
    <div class="numbers">
      <Speed tokens={overview.tokensPerSecond} />
      <Figure title="Running now" value={countText(running)}>
        {waiting === 0 ? "none waits" : `${countText(waiting)} waiting for a slot`}
      </Figure>
      <Figure title={`Requests today${ofKeys}`} value={countText(today.requests)}>
        {today.failed === 0 ? (
          "none has failed"
        ) : (
          <span class="state bad">{countText(today.failed)} failed</span>
        )}
      </Figure>
      <Figure title={`Spent today${ofKeys}`} value={dollarsText(Number(today.usd))}>
        {compactText(today.tokens)} tokens
      </Figure>
      {credits.length > 0 && <Credit credits={credits} />}
      {memory !== null && (
        <Figure title="Memory" value={sizeText(memory.processBytes)}>
          of the server; models {sizeText(memory.modelBytes)}
          {memory.gpuBytes > 0 && `, on the GPU ${sizeText(memory.gpuBytes)}`}
        </Figure>
      )}
    </div>
  );
}

interface FigureProps {
  readonly title: string;
  readonly value: string;
  /** What the value does not say. */
  readonly children: ComponentChildren;
}

function Figure({ title, value, children }: FigureProps): JSX.Element {
  return (
    <section class="panel" aria-label={title}>
      <h2>{title}</h2>
      <p class="figure">{value}</p>
      <p class="hint">{children}</p>
    </section>
  );
}

function Speed({ tokens }: { readonly tokens: readonly number[] }): JSX.Element {
  const recent = tokens.slice(-nowSeconds).reduce((sum, each) => sum + each, 0) / nowSeconds;
  const most = Math.max(0, ...tokens);
  return (
    <section class="panel speed" aria-label="Tokens per second">
      <div>
        <h2>Tokens per second</h2>
        <p class="figure">{recent < 10 ? recent.toFixed(1) : countText(recent)}</p>
        <p class="hint">at most {countText(most)} in a second of the last minute</p>
      </div>
      <Sparkline values={tokens} />
    </section>
  );
}

/** The credit of a team, or of the teams with the least. */
function Credit({ credits }: { readonly credits: Overview["credits"] }): JSX.Element {
  const [least] = credits;
  const low = credits.filter(({ isLow }) => isLow).map(({ name }) => name);
  return (
    <Figure title="Credit left" value={dollarsText(Number(least?.usd ?? 0))}>
      {low.length === 0 ? (
        `of ${least?.name ?? "the team"}${credits.length > 1 ? ", which has the least" : ""}`
      ) : (
        <>
          <span class="state warn">low</span> {low.join(", ")}: <a href={pageHref("billing")}>add credit</a>
        </>
      )}
    </Figure>
  );
}

const height = 20;

/** A small line of numbers, from the oldest to the newest. The text beside it says what matters. */
function Sparkline({ values }: { readonly values: readonly number[] }): JSX.Element {
  const top = Math.max(1, ...values);
  const width = Math.max(1, values.length - 1);
  const points = values.map((value, at) => `${at} ${(height - (value / top) * height).toFixed(2)}`);
  return (
    <svg class="sparkline" viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden="true">
      <path class="base" d={`M0 ${height}H${width}`} />
      <path d={`M${points.join("L")}`} />
    </svg>
  );
}
