import type { JSX } from "preact";
import { agoText, momentText } from "../lib/format.js";

/** A time as `3 minutes ago`, with date and local time on hover. @param at RFC 3339 or milliseconds since 1970 */
export function Time({ at }: { readonly at: string | number }): JSX.Element {
  return (
    <time dateTime={new Date(at).toISOString()} title={momentText(at)}>
      {agoText(at)}
    </time>
  );
}
