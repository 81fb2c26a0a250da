/** Waiting in tests without sleeping. */
import { vi } from "vitest";

/** Resolves once the condition is true; checks every 2 ms, so that the server can work in between. */
export function until(condition: () => boolean): Promise<void> {
  return vi.waitUntil(condition, { interval: 2, timeout: 150_000 }).then(() => undefined);
}

/** Returns what the check returns once it does not throw. */
export function eventually<T>(check: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(check, { interval: 10, timeout: 150_000 });
}

/** A promise that a test resolves. */
export function gate(): { readonly opened: Promise<void>; open(): void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open: () => open() };
}
