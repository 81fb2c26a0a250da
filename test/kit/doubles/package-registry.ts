/** A registry with one package, as it is after `npm publish`. It has no other package: whatever else npm asks for is not found. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** @param tarball path of the package @param manifest its package.json @returns the URL of the registry */
export async function startRegistry(
  tarball: string,
  manifest: { readonly version: string },
): Promise<string> {
  const bytes = readFileSync(tarball);
  const integrity = `sha512-${createHash("sha512").update(bytes).digest("base64")}`;
  const server = createServer((request, response) => {
    if (request.url === "/hearth/-/hearth.tgz") return void response.end(bytes);
    if (request.url !== "/hearth") return void response.writeHead(404).end("{}");
    const dist = { tarball: `${url}/hearth/-/hearth.tgz`, integrity };
    // Registries note it when a package with a shrinkwrap is published.
    const version = { ...manifest, _hasShrinkwrap: true, dist };
    const { version: latest } = manifest;
    response.setHeader("content-type", "application/json");
    response.end(
      JSON.stringify({ name: "hearth", "dist-tags": { latest }, versions: { [latest]: version } }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  onTestFinished(() => {
    server.closeAllConnections();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  });
  return url;
}
