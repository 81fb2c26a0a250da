/** What a repository of the hub holds. */
import { HubApiError, listFiles, modelInfo } from "@huggingface/hub";
import type { Clock } from "../../core/clock.js";
import { HearthError } from "../../core/errors.js";
import type { HubFile } from "./choose/files.js";
import { badStatus, noNetwork, notThere, unusableSource } from "./errors.js";
import { isPassing, PassingFailure, pause, retryAfterMs, waitMsBefore } from "./transfer/retry.js";
import type { HubSettings } from "./settings.js";
import type { HubAnswer, Transport } from "./transfer/transport.js";

interface Repository {
  readonly repo: string;
  /** The commit that the files are of. */
  readonly commit: string;
  readonly license: string | null;
  readonly files: readonly HubFile[];
}

export interface HubDeps {
  readonly clock: Clock;
  readonly settings: HubSettings;
  readonly transport: Transport;
}

const filesMax = 20_000;
const answerBytesMax = 32 * 1024 * 1024;
const answerMsMax = 60_000;
const failuresMax = 5;

/**
 * Lists the files of a repository.
 * @param revision a branch, a tag or a commit; null: the main branch.
 * @throws HearthError
 */
export async function readRepository(
  deps: HubDeps,
  repo: string,
  revision: string | null,
  signal: AbortSignal,
): Promise<Repository> {
  const hubUrl = deps.settings.endpoint.href.replace(/\/$/, "");
  const fetch = guardedFetch(deps, signal);
  try {
    const about = await modelInfo({
      name: repo,
      revision: revision ?? "main",
      hubUrl,
      fetch,
      additionalFields: ["sha", "tags", "cardData"],
    });
    const commit: unknown = about.sha;
    if (typeof commit !== "string" || !/^[0-9a-f]{40,64}$/.test(commit))
      throw unusableSource(repo, "the hub does not state its commit.");
    const files: HubFile[] = [];
    const listing = listFiles({
      repo: { type: "model", name: repo },
      recursive: true,
      revision: commit,
      hubUrl,
      fetch,
    });
    for await (const { type, path, size, lfs } of listing) {
      if (type === "file") files.push(toFile(repo, path, lfs?.size ?? size, lfs?.oid ?? null));
      if (files.length > filesMax)
        throw unusableSource(repo, `the repository has more than ${filesMax} files.`);
    }
    return { repo, commit, license: findLicense(about.cardData, about.tags), files };
  } catch (thrown) {
    signal.throwIfAborted();
    throw publicError(thrown, deps.settings, repo, revision);
  }
}

function toFile(repo: string, path: unknown, bytes: unknown, sha256: unknown): HubFile {
  const isHash = sha256 === null || (typeof sha256 === "string" && /^[0-9a-f]{64}$/.test(sha256));
  if (typeof path !== "string" || typeof bytes !== "number" || !Number.isSafeInteger(bytes) || bytes < 0)
    throw unusableSource(repo, "the hub's list of files cannot be read.");
  if (!isHash) throw unusableSource(path, "the hub states an invalid SHA-256.");
  return { path, bytes, sha256 };
}

function findLicense(card: unknown, tags: unknown): string | null {
  const fromTags = Array.isArray(tags)
    ? tags.find((tag): tag is string => typeof tag === "string" && tag.startsWith("license:"))
    : undefined;
  const named =
    typeof card === "object" && card !== null && "license_name" in card ? card.license_name : undefined;
  const text = typeof named === "string" ? named : (fromTags?.slice("license:".length) ?? licenseField(card));
  return text === null || text === "" ? null : text.replaceAll(/\p{Cc}/gu, " ").slice(0, 200);
}

function licenseField(card: unknown): string | null {
  const field = typeof card === "object" && card !== null && "license" in card ? card.license : null;
  return typeof field === "string" ? field : null;
}

/** Returns a fetch that asks only the hub itself, adds its token, bounds an answer and repeats what fails in passing. */
function guardedFetch({ clock, settings, transport }: HubDeps, signal: AbortSignal): typeof fetch {
  return async (input) => {
    const url = new URL(input instanceof Request ? input.url : input);
    if (url.origin !== settings.endpoint.origin)
      throw unusableSource(url.host, "the hub's list of files continues at another server.");
    for (let failures = 1; ; failures += 1) {
      try {
        return await getJson(transport, clock, url, signal);
      } catch (thrown) {
        signal.throwIfAborted();
        if (thrown instanceof HearthError) throw thrown;
        const failure = thrown instanceof PassingFailure ? thrown : new PassingFailure(null, null, thrown);
        const waitMs = failures < failuresMax ? waitMsBefore(failures, failure) : null;
        if (waitMs === null) throw failure;
        await pause(clock, waitMs, signal);
      }
    }
  };
}

async function getJson(transport: Transport, clock: Clock, url: URL, signal: AbortSignal): Promise<Response> {
  const late = new AbortController();
  const stopTimer = clock.after(answerMsMax, () => late.abort(new Error("no answer in time")));
  try {
    const answer = await transport.get(url, {
      headers: { accept: "application/json" },
      signal: AbortSignal.any([signal, late.signal]),
      sameOrigin: true,
    });
    if (isPassing(answer.status)) {
      await answer.body.dump();
      throw new PassingFailure(answer.status, retryAfterMs(answer.headers["retry-after"], clock.now()));
    }
    return new Response(await readText(answer), { status: answer.status, headers: answer.headers });
  } finally {
    stopTimer();
  }
}

async function readText(answer: HubAnswer): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer.body as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > answerBytesMax)
      throw unusableSource(answer.url.host, `its answer is larger than ${answerBytesMax} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, bytes).toString("utf8");
}

function publicError(
  thrown: unknown,
  { endpoint, token }: HubSettings,
  repo: string,
  revision: string | null,
): HearthError {
  if (thrown instanceof HearthError) return thrown;
  const status = thrown instanceof HubApiError ? thrown.statusCode : null;
  if (status === 404)
    return notThere(
      `${endpoint.host} has no repository ${repo}${revision === null ? "" : ` with the revision ${revision}`} (404).`,
    );
  if (status !== null) return badStatus(status, repo, `${endpoint.href}${repo}`, token !== null);
  if (thrown instanceof PassingFailure && thrown.status !== null)
    return badStatus(thrown.status, repo, null, false);
  if (thrown instanceof PassingFailure) return noNetwork(endpoint.host, thrown.cause);
  return unusableSource(repo, "the hub's answer cannot be read.");
}
