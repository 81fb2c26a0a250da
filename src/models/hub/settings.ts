/** How the hub is reached, from the environment variables that its other clients read, too. */
import { join } from "node:path";
import { HearthError } from "../../core/errors.js";
import { readRegularFileSync } from "../../system/regular-file.js";

export interface HubSettings {
  readonly endpoint: URL;
  /** Sent to the origin of the endpoint only. */
  readonly token: string | null;
  readonly proxies: Proxies;
}

/** URLs of proxies; an empty text: none. */
interface Proxies {
  readonly http: string;
  readonly https: string;
  /** Hosts that are reached without one, with commas. */
  readonly no: string;
}

const defaultEndpoint = "https://huggingface.co";
const tokenCharsMax = 4096;
const tokenFileBytesMax = 64 * 1024;

/**
 * Reads HF_ENDPOINT, HF_TOKEN, the token that `hf auth login` has stored, HTTP_PROXY, HTTPS_PROXY and NO_PROXY.
 * @param home the user's home folder.
 * @throws HearthError that names the variable.
 */
export function readHubSettings(environment: NodeJS.ProcessEnv, home: string): HubSettings {
  const proxies = {
    http: readProxy(environment, "HTTP_PROXY"),
    https: readProxy(environment, "HTTPS_PROXY"),
    no: environment["no_proxy"] ?? environment["NO_PROXY"] ?? "",
  };
  return { endpoint: readEndpoint(environment), token: readToken(environment, home), proxies };
}

function readEndpoint(environment: NodeJS.ProcessEnv): URL {
  const text = environment["HF_ENDPOINT"] ?? "";
  const endpoint = httpUrl(text === "" ? defaultEndpoint : text);
  if (endpoint === null || endpoint.username !== "" || endpoint.password !== "" || endpoint.search !== "")
    throw wrong("HF_ENDPOINT", "must be a http(s) URL without a user name, a password and a query");
  endpoint.hash = "";
  if (!endpoint.pathname.endsWith("/")) endpoint.pathname += "/";
  return endpoint;
}

function readToken(environment: NodeJS.ProcessEnv, home: string): string | null {
  const given = environment["HF_TOKEN"] ?? environment["HUGGING_FACE_HUB_TOKEN"] ?? "";
  const token = (given === "" ? storedToken(environment, home) : given).trim();
  if (token === "") return null;
  if (token.length > tokenCharsMax || !/^[\x21-\x7e]+$/.test(token))
    throw wrong("HF_TOKEN", "must be printable ASCII without spaces");
  return token;
}

/** Returns the content of the token file of the hub's other clients; empty if there is none. */
function storedToken(environment: NodeJS.ProcessEnv, home: string): string {
  const cache = environment["XDG_CACHE_HOME"] ?? join(home, ".cache");
  const folder = environment["HF_HOME"] ?? join(cache, "huggingface");
  try {
    const path = environment["HF_TOKEN_PATH"] ?? join(folder, "token");
    return readRegularFileSync(path, tokenFileBytesMax).toString("utf8");
  } catch {
    return "";
  }
}

function readProxy(environment: NodeJS.ProcessEnv, name: string): string {
  const text = environment[name.toLowerCase()] ?? environment[name] ?? "";
  if (text !== "" && httpUrl(text) === null) throw wrong(name, "must be a http(s) URL");
  return text;
}

function httpUrl(text: string): URL | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  return url?.protocol === "https:" || url?.protocol === "http:" ? url : null;
}

function wrong(variable: string, rule: string): HearthError {
  return new HearthError("invalid_value", `the environment variable ${variable} ${rule}.`, {
    code: "setting",
  });
}
