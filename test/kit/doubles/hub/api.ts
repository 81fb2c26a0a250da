import type { IncomingMessage, ServerResponse } from "node:http";
import { sha256Of, type TestHub } from "./hub.js";

/** Answers the requests of the hub: about a repository, its files, and where the bytes of one are. */
export function serveApi(hub: TestHub, request: IncomingMessage, response: ServerResponse): void {
  const { behaviour, files } = hub;
  const url = new URL(request.url ?? "", "http://localhost");
  const path = decodeURIComponent(url.pathname);
  const failure = path.startsWith("/api/") ? behaviour.apiFailures.shift() : undefined;
  if (failure !== undefined) return void response.writeHead(failure.status, failure.headers).end();
  if (behaviour.token !== null && request.headers.authorization !== `Bearer ${behaviour.token}`)
    return refuse(response, 401);
  if (behaviour.isGated) return refuse(response, 403);
  if (path.startsWith("/api/models/nobody/")) return refuse(response, 404);
  if (/^\/api\/models\/[^/]+\/[^/]+\/revision\/[^/]+$/.test(path))
    return json(response, about(behaviour.commit));
  if (/^\/api\/models\/[^/]+\/[^/]+\/tree\/[0-9a-f]{40}$/.test(path)) {
    const list = [...files].map(([name, bytes]) => listed(name, bytes, behaviour.listedBytesMore));
    const next = behaviour.listContinuesAt;
    return json(response, list, next === null ? {} : { link: `<${next}>; rel="next"` });
  }
  const name = /^\/[^/]+\/[^/]+\/resolve\/[0-9a-f]{40}\/(.+)$/.exec(path)?.[1] ?? "";
  const bytes = files.get(name);
  if (bytes === undefined) return refuse(response, 404);
  // Each redirect signs anew.
  const signed = `${hub.cdnUrl}/signed/${encodeURIComponent(name)}?Signature=${hub.requests.length}`;
  response.writeHead(302, {
    location: behaviour.redirectTo ?? signed,
    "x-repo-commit": behaviour.commit,
    "x-linked-size": bytes.length,
    "x-linked-etag": `"${sha256Of(bytes)}"`,
  });
  response.end();
}

function about(sha: string): object {
  const tags = ["gguf", "license:apache-2.0"];
  return { _id: "1", id: "acme/tiny", sha, tags, lastModified: "2026-11-01T00:00:00.000Z" };
}

/** Small text files are not stored apart, and have no SHA-256. */
function listed(path: string, bytes: Buffer, more: number): object {
  const size = bytes.length + more;
  const lfs = { lfs: { oid: sha256Of(bytes), size, pointerSize: 135 } };
  return { type: "file", path, size, oid: "b".repeat(40), ...(/\.(json|txt)$/.test(path) ? {} : lfs) };
}

function json(response: ServerResponse, value: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(200, { "content-type": "application/json", ...headers }).end(JSON.stringify(value));
}

function refuse(response: ServerResponse, status: number): void {
  response.writeHead(status, { "content-type": "application/json" }).end('{"error":"no"}');
}
