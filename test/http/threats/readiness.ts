import { expect } from "vitest";

/** Returns the reasons of /readyz why a server is not ready; empty when it is. */
export async function reasonsNotReady({ url }: { readonly url: string }): Promise<readonly string[]> {
  const response = await fetch(`${url}/readyz`);
  const { reasons = [] } = (await response.json()) as { reasons?: string[] };
  expect(response.status).toBe(reasons.length === 0 ? 200 : 503);
  return reasons;
}
