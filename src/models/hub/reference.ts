/** What a person names to pull: a repository, a file of one, a URL, or a name of the curated list. */
import { badReference } from "./errors.js";

export type Reference =
  | { readonly type: "name"; readonly name: string; readonly tag: string | null }
  | {
      readonly type: "repo";
      readonly repo: string;
      readonly revision: string | null;
      /** Name of a quantization, or of a number type of ONNX graphs. */
      readonly quant: string | null;
    }
  | {
      readonly type: "file";
      readonly repo: string;
      readonly revision: string | null;
      readonly path: string;
    }
  | { readonly type: "url"; readonly url: URL };

const charsMax = 2048;
const hubHosts = ["hf.co", "huggingface.co", "www.huggingface.co"];
const repoPart = /^(?!.*\.\.)[A-Za-z0-9_](?:[A-Za-z0-9._-]{0,94}[A-Za-z0-9_])?$/;
const reserved = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/**
 * Parses `org/repo[:quant]`, `org/repo/path/file.gguf`, both also behind `hf.co/` or as a URL of the hub, an http(s) URL of a .gguf
 * file, and `name[:tag]`.
 * @param endpoint the URL of the hub in use.
 * @throws HearthError `invalid_value`
 */
export function parseReference(text: string, endpoint: URL): Reference {
  const what = text.trim();
  if (what === "" || what.length > charsMax)
    throw badReference(what, `a name has 1 to ${charsMax} characters.`);
  const isHubPath = hubHosts.some((host) => what.toLowerCase().startsWith(`${host}/`));
  if (isHubPath || what.includes("://")) return parseUrl(isHubPath ? `https://${what}` : what, endpoint);
  const parts = what.split("/");
  if (parts.length === 1) return parseName(what);
  return parts.length === 2 ? parseRepo(what, what, null) : parseFile(what, parts, null);
}

/** Returns whether a path of a repository may be written below a folder on any system. */
export function isSafePath(path: string): boolean {
  return (
    path.length <= 1024 &&
    path.split("/").every((part) => {
      if (part === "" || part.length > 200 || /^\.|[. ]$/.test(part) || reserved.test(part)) return false;
      return !/[<>:"|?*\\\p{Cc}]/u.test(part);
    })
  );
}

function parseName(what: string): Reference {
  const [name = "", tag, ...rest] = what.split(":");
  const isValid = [name, ...(tag === undefined ? [] : [tag])].every((each) => repoPart.test(each));
  if (!isValid || rest.length > 0) throw badReference(what, "a name has the form name or name:tag.");
  return { type: "name", name: name.toLowerCase(), tag: tag?.toLowerCase() ?? null };
}

function parseRepo(what: string, path: string, revision: string | null): Reference {
  const [repo = "", quant, ...rest] = path.split(":");
  const parts = repo.split("/");
  const areValid = parts.length === 2 && parts.every(isRepoPart);
  const isQuantValid = quant === undefined || /^[\w.-]{1,64}$/.test(quant);
  if (!areValid || !isQuantValid || rest.length > 0)
    throw badReference(what, "a repository has the form org/repo or org/repo:quant.");
  return { type: "repo", repo, revision, quant: quant === undefined || isLatest(quant) ? null : quant };
}

function parseFile(what: string, parts: readonly string[], revision: string | null): Reference {
  const repo = parts.slice(0, 2);
  const path = parts.slice(2).join("/");
  if (!repo.every(isRepoPart)) throw badReference(what, "a file has the form org/repo/file.gguf.");
  if (!/\.gguf$/i.test(path) || !isSafePath(path))
    throw badReference(what, "a file of a repository must be a .gguf file.");
  return { type: "file", repo: repo.join("/"), revision, path };
}

/** Parses a URL. One of the hub names a repository or a file of one; any other one a file. */
function parseUrl(what: string, endpoint: URL): Reference {
  const url = URL.canParse(what) ? new URL(what) : null;
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:"))
    throw badReference(what, "a URL begins with https:// or http://.");
  if (url.username !== "" || url.password !== "")
    throw badReference(url.host, "a URL must not hold a user name or a password.");
  const isHub = url.origin === endpoint.origin && url.pathname.startsWith(endpoint.pathname);
  if (isHub || hubHosts.includes(url.hostname)) return parseHubPath(what, readHubPath(url, endpoint));
  if (!/\.gguf$/i.test(url.pathname))
    throw badReference(`${url.host}${url.pathname}`, "a URL must lead to a .gguf file.");
  url.hash = "";
  return { type: "url", url };
}

function readHubPath(url: URL, endpoint: URL): readonly string[] {
  const base = url.origin === endpoint.origin ? endpoint.pathname.replace(/\/$/, "") : "";
  try {
    return decodeURIComponent(url.pathname.slice(base.length))
      .split("/")
      .filter((part) => part !== "");
  } catch {
    throw badReference(url.host, "its path is not valid.");
  }
}

function parseHubPath(what: string, parts: readonly string[]): Reference {
  const [org = "", repo = "", verb, revision, ...path] = parts;
  if (verb === undefined) return parseRepo(what, `${org}/${repo}`, null);
  if (!["resolve", "blob", "raw", "tree"].includes(verb)) return parseFile(what, parts, null);
  if (revision === undefined || !/^[\w.-]{1,100}$/.test(revision) || revision.includes(".."))
    throw badReference(what, `the address of a revision has the form org/repo/${verb}/revision.`);
  if (path.length === 0) return parseRepo(what, `${org}/${repo}`, revision);
  return parseFile(what, [org, repo, ...path], revision);
}

function isRepoPart(part: string): boolean {
  return repoPart.test(part) && !reserved.test(part);
}

function isLatest(quant: string): boolean {
  return quant.toLowerCase() === "latest";
}
