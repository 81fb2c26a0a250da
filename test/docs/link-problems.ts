import { existsSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { addressesOf, anchorsOf, type Document } from "./documents.js";

/** Where packages are fetched from: a document names a package, not the server that has it. */
const registries = [
  "npmjs.com",
  "npmjs.org",
  "yarnpkg.com",
  "jsr.io",
  "pypi.org",
  "pythonhosted.org",
  "crates.io",
  "rubygems.org",
  "packagist.org",
  "nuget.org",
  "pkg.go.dev",
  "proxy.golang.org",
  "repo.maven.apache.org",
  "registry.hub.docker.com",
];

/** What is wrong with the links of a document of the repository at `root`: one sentence for each. */
export function linkProblems(root: string, document: Document): string[] {
  return addressesOf(document.text).flatMap((address) => {
    const problem = problemOf(root, document, address);
    return problem === null ? [] : [`${document.path}: ${address} ${problem}`];
  });
}

function problemOf(root: string, { path, text }: Document, address: string): string | null {
  if (/^https?:/i.test(address)) return isRegistry(address) ? "names a package registry" : null;
  if (address.startsWith("mailto:")) return null;
  if (address.startsWith("/")) return "begins with a slash, which leads elsewhere in the repository";
  if (/^\w+:/.test(address)) return "is neither a file nor a web address";
  const [file = "", anchor] = address.split("#").map(decodeURIComponent);
  if (file === "") return anchor === undefined || hasAnchor(text, anchor) ? null : "leads to no heading";
  const target = posix.join(posix.dirname(path), file);
  if (target.startsWith("../") || !existsSync(join(root, target))) return "leads to no file";
  if (anchor === undefined) return null;
  const isThere = target.endsWith(".md") && hasAnchor(readFileSync(join(root, target), "utf8"), anchor);
  return isThere ? null : "leads to no heading";
}

function hasAnchor(markdown: string, anchor: string): boolean {
  return anchorsOf(markdown).includes(anchor);
}

function isRegistry(address: string): boolean {
  const { hostname } = new URL(address);
  return registries.some((registry) => hostname === registry || hostname.endsWith(`.${registry}`));
}
