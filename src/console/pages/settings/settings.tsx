/** Settings and checks of the server: what `hearth doctor` prints. */
import type { JSX } from "preact";
import { useCallback } from "preact/hooks";
import { getDoctor, type Doctor, type DoctorSetting } from "../../api/doctor.js";
import { navigate, pageHref, useLocation } from "../../lib/location.js";
import { useResource } from "../../lib/resource.js";
import { Empty } from "../../parts/empty.js";
import { ErrorBox } from "../../parts/error-box.js";
import { Checkbox } from "../../parts/field.js";
import { Loading } from "../../parts/loading.js";
import { PageHead } from "../../parts/page-head.js";
import { SearchField } from "../../parts/search-field.js";
import { Table, type Column } from "../../parts/table.js";
import { Checks } from "./checks.js";

/** The page. */
export function SettingsPage(): JSX.Element {
  const { query } = useLocation();
  const text = query.get("q") ?? "";
  const doctor = useResource(getDoctor, []);
  const { value, error, isLoading, reload } = doctor;
  const search = useCallback((q: string) => change({ q }), []);
  return (
    <>
      <PageHead title="Settings">
        <SearchField label="Search settings" value={text} onSearch={search} />
        <button type="button" aria-busy={isLoading} onClick={reload}>
          Check again
        </button>
      </PageHead>
      {error !== null && <ErrorBox error={error} onRetry={reload} />}
      {value === null && error === null && <Loading />}
      {value !== null && (
        <>
          <Checks checks={value.checks} />
          <Settings doctor={value} text={text} isOnlySet={query.get("show") === "set"} />
        </>
      )}
    </>
  );
}

function change(fields: Readonly<Record<string, string>>): void {
  const now = Object.fromEntries(new URLSearchParams(location.search));
  navigate(pageHref("settings", { ...now, ...fields }), { replace: true });
}

interface SettingsProps {
  readonly doctor: Doctor;
  readonly text: string;
  /** Whether settings with their default are left out. */
  readonly isOnlySet: boolean;
}

function Settings({ doctor, text, isOnlySet }: SettingsProps): JSX.Element {
  const rows = doctor.settings.filter(
    (setting) =>
      (!isOnlySet || !isDefault(setting)) &&
      [setting.name, setting.variable, setting.value].some((each) =>
        each.toLowerCase().includes(text.toLowerCase()),
      ),
  );
  return (
    <section class="part" aria-labelledby="settings">
      <header class="page-head">
        <h2 id="settings">Effective settings</h2>
        <Checkbox checked={isOnlySet} onChecked={(isOnly) => change({ show: isOnly ? "set" : "" })}>
          Only those that were set
        </Checkbox>
      </header>
      <p class="hint">
        The server reads them when it starts: from variables of its environment, or from{" "}
        <code>hearth.yaml</code>.{" "}
        <a href="/docs/guides/settings" target="_blank" rel="noreferrer">
          All settings
        </a>
      </p>
      <Table
        label="Settings"
        columns={columns}
        rows={{ value: rows, error: null, isLoading: false, reload: () => undefined }}
        getKey={({ name }) => name}
        empty={
          <Empty title="No setting matches">
            <p>Search by its name, its variable or its value.</p>
          </Empty>
        }
      />
    </section>
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
  return source === "default" || source === "platformDefault";
}
