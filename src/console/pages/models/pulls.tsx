/** Downloads of models: those in progress, and those that ended without a model in the last day. */
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { WirePull } from "../../../http/management/models/pulls.js";
import { send, stream } from "../../lib/client.js";
import { now } from "../../lib/clock.js";
import { sizeText } from "../../../core/report/size-text.js";
import { durationText } from "../../lib/format.js";
import { useList, type Resource } from "../../lib/resource.js";
import { ErrorBox } from "../../parts/page.js";
import { showError, showToast } from "../../parts/toast.js";

const path = "/admin/models/pulls";

/** Another member may have started one. */
const refreshMs = 10_000;
const shownMs = 24 * 3_600_000;

/** Loads the downloads to show. @param onDone called when a download has ended with a model */
export function usePulls(
  onDone: () => void,
): Resource<readonly WirePull[]> & { readonly onDone: () => void } {
  const pulls = useList<WirePull>(path, "data", {}, refreshMs);
  return { ...pulls, value: pulls.value === null ? null : shownPulls(pulls.value), onDone };
}

interface PullsProps {
  readonly pulls: ReturnType<typeof usePulls>;
  readonly isOperator: boolean;
}

/** The list; nothing while there are none. */
export function Pulls({ pulls, isOperator }: PullsProps): JSX.Element | null {
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
