import type { JSX } from "preact";
import type { WireAuditEvent } from "../../../http/management/audit-events.js";

/** The fields that an event has changed, folded away. */
export function Changes({
  event: { before = {}, after = {} },
}: {
  readonly event: WireAuditEvent;
}): JSX.Element | null {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => text(before[name]) !== text(after[name]),
  );
  if (names.length === 0) return null;
  return (
    <details class="changes">
      <summary>{names.length === 1 ? "1 field" : `${names.length} fields`}</summary>
      <dl>
        {names.map((name) => [
          <dt key={name}>
            <code>{name}</code>
          </dt>,
          <dd key={`${name} values`}>
            {name in before && <del>{text(before[name])}</del>}{" "}
            {name in after && <ins>{text(after[name])}</ins>}
          </dd>,
        ])}
      </dl>
    </details>
  );
}

function text(value: unknown): string {
  if (value === undefined || value === null) return "none";
  return typeof value === "string" ? value || "empty" : JSON.stringify(value);
}
