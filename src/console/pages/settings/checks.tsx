import type { JSX } from "preact";
import type { DoctorCheck } from "../../../core/report/doctor.js";
import { plural } from "../../lib/format.js";
import { Section } from "../../parts/page.js";

/** The checks, those that fail first. */
export function Checks({ checks }: { readonly checks: readonly DoctorCheck[] }): JSX.Element {
  const failed = checks.filter(({ ok }) => !ok);
  const others = checks.filter(({ ok }) => ok);
  return (
    <Section
      id="checks"
      title="Checks"
      aside={
        <p>
          {failed.length === 0 ? (
            <span class="state good">all {plural(checks.length, "check succeeds", "checks succeed")}</span>
          ) : (
            <span class="state bad">{plural(failed.length, "check fails", "checks fail")}</span>
          )}
        </p>
      }
    >
      <ul class="checks">
        {[...failed, ...others].map(({ name, ok, detail }) => (
          <li key={name + detail} class={ok ? undefined : "failed"}>
            <span class={`state ${ok ? "good" : "bad"}`}>{ok ? "ok" : "fails"}</span>
            <strong>{name}</strong>
            <p>
              <Marked text={detail} />
            </p>
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** A text in which commands and settings are between backticks. */
function Marked({ text }: { readonly text: string }): JSX.Element {
  // Every second part is between two backticks.
  return <>{text.split("`").map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part))}</>;
}
