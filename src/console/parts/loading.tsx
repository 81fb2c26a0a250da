import type { JSX } from "preact";

/** Shown while something is loaded; visible only if that takes long. */
export function Loading(): JSX.Element {
  return (
    <p class="loading" role="status">
      Loading …
    </p>
  );
}
