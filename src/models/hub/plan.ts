/** Which files a pull consists of: where each comes from and where it goes. */
import { join } from "node:path";
import { HearthError } from "../../core/errors.js";
import { quoted } from "../gguf/refusal.js";
import { listPartFiles } from "../parts.js";
import type { Origin } from "../source-record.js";
import { findInCatalog } from "./choose/catalog.js";
import { chooseFile, chooseModel } from "./choose/choose.js";
import type { FileChoice } from "./choose/files.js";
import { badReference } from "./errors.js";
import { readRepository, type HubDeps } from "./hub.js";
import { probe, type FileSource } from "./transfer/probe.js";
import { isSafePath, parseReference, type Reference } from "./reference.js";

export interface Plan {
  /** Absolute path of the folder that the record is in. */
  readonly folder: string;
  readonly origin: Origin;
  readonly kind: FileChoice["kind"];
  readonly files: readonly PlannedFile[];
  /** Whether the files are the hub's, which the token is for. */
  readonly isHub: boolean;
}

export interface PlannedFile {
  readonly source: FileSource & { readonly bytes: number };
  /** Relative to the folder, with `/`. */
  readonly to: string;
}

/** Returns the reference of what a person named, with a name of the curated list replaced by its repository. */
export function findReference(
  what: string,
  endpoint: URL,
): { readonly reference: Exclude<Reference, { readonly type: "name" }>; readonly name: string | null } {
  const reference = parseReference(what, endpoint);
  if (reference.type !== "name") return { reference, name: null };
  const { name, tag, repo, quant } = findInCatalog(reference.name, reference.tag);
  return { reference: { type: "repo", repo, revision: null, quant }, name: `${name}:${tag}` };
}

/**
 * Returns the plan of a pull.
 * @param deps the transport to the hub, or to the URL.
 * @throws HearthError
 */
export async function planPull(
  deps: HubDeps,
  models: string,
  { reference, name }: ReturnType<typeof findReference>,
  signal: AbortSignal,
): Promise<Plan> {
  if (reference.type === "url") return planUrl(deps, models, reference.url, signal);
  const { endpoint, token } = deps.settings;
  const repository = await readRepository(deps, reference.repo, reference.revision, signal);
  const { repo, commit, license, files } = repository;
  const choice =
    reference.type === "file"
      ? chooseFile(repo, files, reference.path)
      : chooseModel(repo, files, reference.quant);
  const planned = choice.files.map(({ path, to, bytes, sha256 }) => {
    const address = `${repo}/resolve/${commit}/${path.split("/").map(encodeURIComponent).join("/")}`;
    const page = new URL(repo, endpoint).href;
    const url = new URL(address, endpoint);
    return { to, source: { url, name: path, page, hasToken: token !== null, bytes, sha256 } };
  });
  const [org = "", repoName = ""] = repo.split("/");
  const origin = { source: repo, revision: commit, name, license };
  return { folder: join(models, org, repoName), origin, kind: choice.kind, files: planned, isHub: true };
}

async function planUrl(deps: HubDeps, models: string, url: URL, signal: AbortSignal): Promise<Plan> {
  const at = url.pathname.lastIndexOf("/") + 1;
  const name = decoded(url.pathname.slice(at));
  if (name === null || name.includes("/") || !isSafePath(name))
    throw badReference(url.host, "the last part of its path is no name for a file.");
  const parts = listPartFiles(name);
  if (!parts.includes(name)) throw badReference(name, "it is not one of its parts.");
  const files: PlannedFile[] = [];
  for (const part of [...parts.slice(1), ...parts.slice(0, 1)]) {
    const partUrl = new URL(url.pathname.slice(0, at) + encodeURIComponent(part) + url.search, url);
    const asked = { url: partUrl, name: part, page: null, hasToken: false, bytes: null, sha256: null };
    const { bytes, sha256 } = await probe(deps, asked, signal);
    if (bytes === 0) throw new HearthError("model_unavailable", `${quoted(part)} is empty.`);
    files.push({ to: part, source: { ...asked, bytes, sha256 } });
  }
  const origin = { source: `${url.origin}${url.pathname}`, revision: null, name: null, license: null };
  return { folder: models, origin, kind: "gguf", files, isHub: false };
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
