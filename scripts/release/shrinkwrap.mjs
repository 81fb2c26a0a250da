/** The lock file as the package has it. */

/**
 * @typedef {Record<string, unknown> & { dev?: boolean, resolved?: string }} Entry
 * @typedef {{ name: string, version: string, lockfileVersion: number, packages: Record<string, Entry> }} Lock
 */

/**
 * Returns the lock file without what only development needs, and without any address.
 * @param {Lock} lock
 * @returns {Lock}
 */
export function toShrinkwrap(lock) {
  const packages = Object.entries(lock.packages).flatMap(
    ([folder, { resolved: _, funding: __, ...entry }]) => {
      if (folder !== "") return entry.dev === true ? [] : [[folder, entry]];
      const { devDependencies: ___, ...own } = entry;
      return [[folder, own]];
    },
  );
  return { ...lock, packages: Object.fromEntries(packages) };
}
