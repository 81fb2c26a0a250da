/** Models: lists them, loads and unloads them, changes their settings, downloads and deletes them. */
import type { JSX } from "preact";
import { useState, useEffect } from "preact/hooks";
import { basePath } from "../../lib/base-path.js";
import type { WireModel } from "../../../http/management/models/present-model.js";
import { send, stream } from "../../lib/client.js";
import { useList, useGet, type Resource } from "../../lib/resource.js";
import { FormDialog, openDialog } from "../../parts/dialog.js";
import { Field } from "../../parts/field.js";
import { Empty, PageHead, ErrorBox } from "../../parts/page.js";
import { Table, type Column } from "../../parts/table.js";
import { useIsOperator, useSignedIn, useTeam } from "../../session.js";
import { modelColumns, Lines, NameCell } from "./columns.js";
import type { WireTeamModels } from "../../../http/management/teams/models.js";
import { countText, dollarsText, durationText } from "../../lib/format.js";
import { ticksPerUsd } from "../../lib/money.js";
import type { WirePull } from "../../../http/management/models/pulls.js";
import { now } from "../../lib/clock.js";
import { sizeText } from "../../../core/report/size-text.js";
import { showError, showToast } from "../../parts/toast.js";

/** Models are loaded and unloaded by requests, too. */
const refreshMs = 5000;
const pullsRefreshMs = 10_000;

/** The page. */
export function ModelsPage(): JSX.Element {
  const { session } = useSignedIn();
  return session.member.teamId === undefined ? <ServerModels /> : <TeamModels />;
}

function ServerModels(): JSX.Element {
  const isOperator = useIsOperator();
  const models = useList<WireModel>("/admin/models", "data", {}, refreshMs);
  const pulls = usePulls(models.reload);
  const add = isOperator && (
    <button type="button" class="primary" onClick={() => openDialog(<PullDialog onStarted={pulls.reload} />)}>
      Add model
    </button>
  );
  return (
    <>
      <PageHead title="Models">{add}</PageHead>
      <Pulls pulls={pulls} isOperator={isOperator} />
      <Table
        label="Models"
        columns={modelColumns(isOperator, models.reload)}
        rows={models}
        getKey={({ id }) => id}
        empty={
          <Empty title="No models yet">
            <p>Download one from the hub, or put a GGUF file into the folder of models.</p>
            {add}
          </Empty>
        }
      />
    </>
  );
}

/** Asks which model to download, and starts it. */
function PullDialog({ onStarted }: { readonly onStarted: () => void }): JSX.Element {
  const [model, setModel] = useState("");
  const start = () => send("POST", "/admin/models/pull", { model: model.trim() }).then(onStarted);
  return (
    <FormDialog title="Add model" action="Download" onSubmit={start}>
      <Field
        label="Model"
        hint="A name such as qwen3:4b, a repository of the hub such as org/repo or org/repo:Q4_K_M, or an https address of a GGUF file."
        required
        autofocus
        autocomplete="off"
        maxLength={2000}
        value={model}
        onValue={setModel}
      />
      <p class="hint">
        The download goes on when you leave this page. Models that you put into the folder of models appear by
        themselves. <a href={`${basePath}/docs/guides/models`}>The guide of models</a> says more.
      </p>
    </FormDialog>
  );
}

/** The page. */
function TeamModels(): JSX.Element {
  const { teamId } = useTeam();
  const models = useGet<WireTeamModels>(`/auth/teams/${teamId}/models`);
  return (
    <>
      <PageHead title="Models" />
      <Table
        label="Models"
        columns={columns}
        rows={{ ...models, value: models.value?.clusterConfigs.flatMap(listModels) ?? null }}
        getKey={({ id }) => id}
        empty={
          <Empty title="No models yet">
            <p>Ask the operator of this server to add one.</p>
          </Empty>
        }
      />
    </>
  );
}

/** Prices are USD per million tokens; of an image model, USD per image. */
interface TeamModel {
  readonly id: string;
  readonly kind: "chat" | "embedding" | "image";
  readonly aliases: readonly string[];
  /** null for an image model. */
  readonly contextTokens: number | null;
  readonly prices: readonly number[];
}

type Cluster = WireTeamModels["clusterConfigs"][number];

function listModels(cluster: Cluster): readonly TeamModel[] {
  return [
    ...cluster.languageModels.map((model) => ({
      ...textModel(model, "chat"),
      prices: [model.promptTextTokenPrice, model.completionTextTokenPrice].map(perMillion),
    })),
    ...cluster.embeddingModels.map((model) => ({
      ...textModel(model, "embedding"),
      prices: [perMillion(model.promptTextTokenPrice)],
    })),
    ...cluster.imageGenerationModels.map(({ name, aliases, imagePrice }) => ({
      id: name,
      kind: "image" as const,
      aliases,
      contextTokens: null,
      prices: [Number(imagePrice) / ticksPerUsd],
    })),
  ];
}

function textModel(model: Cluster["languageModels" | "embeddingModels"][number], kind: TeamModel["kind"]) {
  return { id: model.name, kind, aliases: model.aliases, contextTokens: model.maxPromptLength };
}

/** @param ticks for one token */
function perMillion(ticks: string): number {
  return (Number(ticks) * 1e6) / ticksPerUsd;
}

const columns: readonly Column<TeamModel>[] = [
  { title: "Model", cell: (model) => <NameCell {...model} /> },
  { title: "Kind", cell: ({ kind }) => kind },
  {
    title: "Context",
    kind: "number",
    cell: ({ contextTokens }) => (contextTokens === null ? "–" : countText(contextTokens)),
  },
  { title: "Price", cell: (model) => <Price {...model} /> },
];

function Price({ kind, prices: [first = 0, answer] }: TeamModel): JSX.Element {
  if (first === 0 && (answer ?? 0) === 0) return <>free</>;
  if (kind === "image") return <>{dollarsText(first)} an image</>;
  const texts = [
    `${dollarsText(first)} prompt`,
    ...(answer === undefined ? [] : [`${dollarsText(answer)} answer`]),
  ];
  return <Lines first={texts.join(", ")} second="per million tokens" />;
}

// Downloads of models: those in progress, and those that ended without a model in the last day.

const path = "/admin/models/pulls";

const shownMs = 24 * 3_600_000;

/** Loads the downloads to show. @param onDone called when a download has ended with a model */
function usePulls(onDone: () => void): Resource<readonly WirePull[]> & { readonly onDone: () => void } {
  const pulls = useList<WirePull>(path, "data", {}, pullsRefreshMs);
  return { ...pulls, value: pulls.value === null ? null : shownPulls(pulls.value), onDone };
}

interface PullsProps {
  readonly pulls: ReturnType<typeof usePulls>;
  readonly isOperator: boolean;
}

/** The list; nothing while there are none. */
function Pulls({ pulls, isOperator }: PullsProps): JSX.Element | null {
  const { value, error, reload, onDone } = pulls;
  if (error !== null) return <ErrorBox error={error} onRetry={reload} />;
  if (value === null || value.length === 0) return null;
  const ended = ({ state, model, modelId }: WirePull): void => {
    if (state === "done") {
      showToast(`The model “${modelId ?? model}” is downloaded.`);
      onDone();
    }
    reload();
  };
  return (
    <section class="panel" aria-label="Downloads">
      <h2>Downloads</h2>
      <ul class="pulls">
        {value.map((pull) => (
          <PullItem key={pull.id} listed={pull} isOperator={isOperator} onEnded={ended} onChanged={reload} />
        ))}
      </ul>
    </section>
  );
}

interface PullItemProps {
  readonly listed: WirePull;
  readonly isOperator: boolean;
  readonly onEnded: (pull: WirePull) => void;
  readonly onChanged: () => void;
}

function PullItem({ listed, isOperator, onEnded, onChanged }: PullItemProps): JSX.Element {
  const pull = useProgress(listed, onEnded);
  const isActive = isInProgress(pull);
  const change = (by: Promise<WirePull>): void => void by.then(onChanged, showError);
  return (
    <li>
      <p class="pull-head">
        <strong>{pull.model}</strong>
        {isOperator && (
          <button
            type="button"
            aria-label={`${isActive ? "Cancel" : "Resume"} the download of ${pull.model}`}
            onClick={() =>
              change(
                isActive
                  ? send("DELETE", `${path}/${pull.id}`)
                  : send("POST", "/admin/models/pull", { model: pull.model }),
              )
            }
          >
            {isActive ? "Cancel" : "Resume"}
          </button>
        )}
      </p>
      {isActive && (
        <progress
          aria-label={`Download of ${pull.model}`}
          max={pull.bytesTotal ?? 1}
          value={pull.bytesTotal === null ? undefined : (pull.bytesDone ?? 0)}
        />
      )}
      <p class={pull.state === "failed" ? "problem" : "hint"}>{progressText(pull)}</p>
    </li>
  );
}

/** Returns the download as the list has it, or as its stream has it while it runs. */
function useProgress(listed: WirePull, onEnded: (pull: WirePull) => void): WirePull {
  const [followed, setFollowed] = useState<WirePull | null>(null);
  const { id, state } = listed;
  useEffect(() => {
    // A browser keeps few connections to a server, and the server runs few downloads at a time: those that wait are not followed.
    if (state !== "running") return undefined;
    const abort = new AbortController();
    const follow = async (): Promise<void> => {
      let hasEnded = false;
      for await (const pull of stream<WirePull>(
        "GET",
        `${path}/${id}?stream=true`,
        undefined,
        abort.signal,
      )) {
        setFollowed(pull);
        hasEnded = !isInProgress(pull);
        if (hasEnded) onEnded(pull);
      }
      if (!hasEnded) throw new Error("the stream broke off");
    };
    // A stream that breaks off is no fault of the download, which the list still shows.
    follow().catch(() => setFollowed(null));
    return () => abort.abort();
  }, [id, state]);
  return state === "running" ? (followed ?? listed) : listed;
}

/** When a model has several downloads, only the newest counts. */
function shownPulls(pulls: readonly WirePull[]): readonly WirePull[] {
  const newest = pulls.filter(
    (pull, at) => pulls.findIndex(({ model }) => model === pull.model) === at && pull.state !== "done",
  );
  const isRecent = ({ endTime }: WirePull): boolean =>
    endTime === null || now() - new Date(endTime).getTime() < shownMs;
  return newest.filter(isRecent);
}

function isInProgress({ state }: WirePull): boolean {
  return state === "queued" || state === "running";
}

function progressText({ state, phase, bytesDone, bytesTotal, bytesPerSecond, error }: WirePull): string {
  if (state === "failed") return error ?? "The download has failed.";
  if (state === "cancelled") return "Cancelled. What was downloaded is kept.";
  if (state === "queued") return "Waits for another download.";
  if (phase === "verifying") return "Checking the files …";
  if (bytesDone === null || bytesTotal === null || phase === "resolving") return "Finding the files …";
  const left =
    bytesPerSecond === null || bytesPerSecond <= 0
      ? []
      : [
          `${sizeText(bytesPerSecond)} a second`,
          `${durationText(((bytesTotal - bytesDone) / bytesPerSecond) * 1000)} left`,
        ];
  return [`${sizeText(bytesDone)} of ${sizeText(bytesTotal)}`, ...left].join(" · ");
}
