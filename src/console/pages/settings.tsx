/** Settings and checks of the server: what `hearth doctor` prints. */
import { basePath } from "../lib/base-path.js";
import type { JSX } from "preact";
import type { DoctorReport, DoctorSetting, DoctorCheck } from "../../core/report/doctor.js";
import { setQuery, useLocation } from "../lib/location.js";
import { loaded, useGet } from "../lib/resource.js";
import { Checkbox, SearchField } from "../parts/field.js";
import { Empty, Loaded, PageHead, Section } from "../parts/page.js";
import { Table, type Column } from "../parts/table.js";
import { plural } from "../lib/format.js";

/** The page. */
export function SettingsPage(): JSX.Element {
  const doctor = useGet<DoctorReport>("/admin/doctor");
  return (
    <>
      <PageHead title="Settings">
        <SearchField label="Search settings" />
        <button type="button" aria-busy={doctor.isLoading} onClick={doctor.reload}>
          Check again
        </button>
      </PageHead>
      <Loaded from={doctor}>
        {({ checks, settings }) => (
          <>
            <Checks checks={checks} />
            <Settings settings={settings} />
          </>
        )}
      </Loaded>
    </>
  );
}

function Settings({ settings }: { readonly settings: DoctorReport["settings"] }): JSX.Element {
  const { query } = useLocation();
  const text = (query.get("q") ?? "").toLowerCase();
  const isOnlySet = query.get("show") === "set";
  const rows = settings.filter(
    (setting) =>
      (!isOnlySet || !isDefault(setting)) &&
      [setting.name, setting.variable, setting.value].some((each) => each.toLowerCase().includes(text)),
  );
  return (
    <Section
      id="settings"
      title="Effective settings"
      aside={
        <Checkbox checked={isOnlySet} onChecked={(isOnly) => setQuery({ show: isOnly ? "set" : "" })}>
          Only those that were set
        </Checkbox>
      }
    >
      <p class="hint">
        The server reads them when it starts: from variables of its environment, or from{" "}
        <code>hearth.yaml</code>.{" "}
        <a href={`${basePath}/docs/guides/settings`} target="_blank" rel="noreferrer">
          All settings
        </a>
      </p>
      <Table
        label="Settings"
        columns={columns}
        rows={loaded(rows)}
        getKey={({ name }) => name}
        empty={
          <Empty title="No setting matches">
            <p>Search by its name, its variable or its value.</p>
          </Empty>
        }
      />
    </Section>
  );
}

const columns: readonly Column<DoctorSetting>[] = [
  {
    title: "Setting",
    cell: ({ name, variable }) => (
      <>
        <strong>{name}</strong>
        <code class="below">{variable}</code>
      </>
    ),
  },
  { title: "Value", cell: ({ value }) => <code class="setting-value">{value === "" ? "–" : value}</code> },
  {
    title: "From",
    cell: (setting) =>
      isDefault(setting) ? (
        <span class="hint">{setting.source === "default" ? "default" : "default of the platform"}</span>
      ) : (
        <span class="setting-source">{setting.source}</span>
      ),
  },
];

function isDefault({ source }: DoctorSetting): boolean {
  return source.startsWith("default");
}

/** The checks, those that fail first. */
function Checks({ checks }: { readonly checks: readonly DoctorCheck[] }): JSX.Element {
  const failed = checks.filter(({ ok }) => !ok);
  const warned = checks.filter(({ ok, warning }) => ok && warning === true);
  const others = checks.filter(({ ok, warning }) => ok && warning !== true);
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
        {[...failed, ...warned, ...others].map(({ name, ok, warning, detail }) => (
          <li key={name + detail} class={ok ? undefined : "failed"}>
            <span class={`state ${!ok ? "bad" : warning === true ? "warn" : "good"}`}>
              {!ok ? "fails" : warning === true ? "warning" : "ok"}
            </span>
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
