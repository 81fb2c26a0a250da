/** The bill of materials of a release: CycloneDX 1.6, made from the lock file, which names the packages of every platform. */
import { createHash } from "node:crypto";
import { posix } from "node:path";

/**
 * @typedef {{
 *   name?: string, version?: string, license?: string, integrity?: string, dev?: boolean, optional?: boolean,
 *   dependencies?: Record<string, string>, optionalDependencies?: Record<string, string>, peerDependencies?: Record<string, string>,
 * }} Entry of a lock file
 * @typedef {Record<string, Entry>} Packages by folder; "" is Hearth itself
 */

/**
 * Returns the bill of materials of what is installed for production.
 * @param {Packages} packages
 * @param {Date} time
 * @throws {Error} that names the packages without a license or a SHA-512
 */
export function billOfMaterials(packages, time) {
  const installed = Object.entries(packages).filter(([folder, entry]) => folder !== "" && isShipped(entry));
  const incomplete = installed.filter(
    ([, { version, license, integrity = "" }]) => !version || !license || !integrity.startsWith("sha512-"),
  );
  if (incomplete.length > 0)
    throw new Error(`no version, license or SHA-512: ${incomplete.map(([folder]) => folder).join(", ")}`);
  const own = packages[""] ?? {};
  const ownRef = purl("hearth", own);
  const components = new Map(
    installed.map(([folder, entry]) => [toRef(folder, entry), toComponent(folder, entry)]),
  );
  const content = [...components.values()].toSorted((a, b) => (a.purl < b.purl ? -1 : 1));
  return {
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    serialNumber: `urn:uuid:${toUuid(JSON.stringify([ownRef, content]))}`,
    version: 1,
    metadata: {
      timestamp: time.toISOString(),
      component: {
        type: "application",
        "bom-ref": ownRef,
        name: "hearth",
        version: own.version ?? "",
        purl: ownRef,
        licenses: toLicenses(own.license ?? ""),
      },
    },
    components: content,
    dependencies: [
      { ref: ownRef, dependsOn: findDependencies(packages, "") },
      ...dependenciesByRef(packages, installed),
    ],
  };
}

/** Returns whether production installs have a package. @param {Entry} entry */
function isShipped({ dev = false }) {
  return !dev;
}

/**
 * @param {string} folder
 * @param {Entry} entry
 */
function toComponent(folder, entry) {
  const fullName = readName(folder, entry);
  const scope = /^(@[^/]+)\//.exec(fullName)?.[1];
  const hash = Buffer.from((entry.integrity ?? "").slice("sha512-".length), "base64").toString("hex");
  return {
    type: "library",
    "bom-ref": toRef(folder, entry),
    ...(scope === undefined ? {} : { group: scope }),
    name: scope === undefined ? fullName : fullName.slice(scope.length + 1),
    version: entry.version ?? "",
    scope: entry.optional === true ? "optional" : "required",
    hashes: [{ alg: "SHA-512", content: hash }],
    licenses: toLicenses(entry.license ?? ""),
    purl: toRef(folder, entry),
  };
}

/** @param {string} license an SPDX identifier or expression */
function toLicenses(license) {
  return /^[\w.+-]+$/.test(license) ? [{ license: { id: license } }] : [{ expression: license }];
}

/**
 * @param {Packages} packages
 * @param {[string, Entry][]} installed
 */
function dependenciesByRef(packages, installed) {
  /** @type {Map<string, Set<string>>} */
  const byRef = new Map();
  for (const [folder, entry] of installed) {
    const refs = byRef.get(toRef(folder, entry)) ?? new Set();
    for (const ref of findDependencies(packages, folder)) refs.add(ref);
    byRef.set(toRef(folder, entry), refs);
  }
  return [...byRef]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([ref, refs]) => ({ ref, dependsOn: [...refs].toSorted() }));
}

/**
 * @param {Packages} packages
 * @param {string} folder
 * @returns {string[]}
 */
function findDependencies(packages, folder) {
  const { dependencies = {}, optionalDependencies = {}, peerDependencies = {} } = packages[folder] ?? {};
  const names = Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies });
  const refs = names.flatMap((name) => {
    const found = resolve(packages, folder, name);
    const entry = packages[found ?? ""];
    return found === null || entry === undefined || !isShipped(entry) ? [] : [toRef(found, entry)];
  });
  return [...new Set(refs)].toSorted();
}

/**
 * Returns the folder in which Node.js finds a package from another one; null if there is none.
 * @param {Packages} packages
 * @param {string} from
 * @param {string} name
 * @returns {string | null}
 */
function resolve(packages, from, name) {
  const folder = posix.join(from, "node_modules", name);
  if (packages[folder] !== undefined) return folder;
  if (from === "") return null;
  return resolve(packages, from.slice(0, Math.max(0, from.lastIndexOf("/node_modules/"))), name);
}

/**
 * The name of the package that is in a folder; an alias has another one there.
 * @param {string} folder
 * @param {Entry} entry
 */
function readName(folder, { name }) {
  return name ?? folder.slice(folder.lastIndexOf("node_modules/") + "node_modules/".length);
}

/**
 * @param {string} folder
 * @param {Entry} entry
 */
function toRef(folder, entry) {
  return purl(readName(folder, entry), entry);
}

/**
 * @param {string} name
 * @param {Entry} entry
 */
function purl(name, { version }) {
  return `pkg:npm/${name.replace("@", "%40")}@${version}`;
}

/** Returns a UUID (version 8) of the content, so that the same content has the same serial number. @param {string} content */
function toUuid(content) {
  const hex = createHash("sha256").update(content).digest("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
