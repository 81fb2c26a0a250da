/** A registry that has one package more than another: this one, as it is after `npm publish`. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { onTestFinished } from "vitest";

interface PublishedPackage {
  /** Path of the file. */
  readonly tarball: string;
  /** The package.json in it. */
  readonly manifest: { readonly name: string; readonly version: string };
}

/** @param others the registry that has all other packages @returns the URL of the registry */
export async function startRegistry(
  { tarball, manifest }: PublishedPackage,
  others: string,
): Promise<string> {
  const bytes = readFileSync(tarball);
  const integrity = `sha512-${createHash("sha512").update(bytes).digest("base64")}`;
  const { name, version: latest } = manifest;
  const path = `/${name}/-/${name}-${latest}.tgz`;
  const server = createServer((request, response) => {
    if (request.url === path) return void response.end(bytes);
    if (request.url !== `/${name}`) return void forward(request, response, others);
    const version = { ...manifest, dist: { tarball: `${url}${path}`, integrity } };
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ name, "dist-tags": { latest }, versions: { [latest]: version } }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  onTestFinished(() => {
    server.closeAllConnections();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  });
  return url;
}

/** Answers with what another registry answers. npm asks this one for its tarballs, too. */
async function forward(request: IncomingMessage, response: ServerResponse, others: string): Promise<void> {
  const url = new URL((request.url ?? "").slice(1), others.replace(/\/*$/, "/"));
  const { accept = "*/*" } = request.headers;
  try {
    const answer = await fetch(url, { headers: { accept } });
    response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "" });
    if (answer.body === null) response.end();
    else await pipeline(Readable.fromWeb(answer.body), response);
  } catch {
    response.destroy();
  }
}
