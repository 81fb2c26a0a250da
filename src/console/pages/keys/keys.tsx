/** API keys: lists them, and creates, changes, rotates and deletes them. */
import type { JSX } from "preact";
import type { WireListedKey } from "../../../http/management/keys/present-key.js";
import { useLocation } from "../../lib/location.js";
import { usePages } from "../../lib/resource.js";
import { openDialog } from "../../parts/dialog.js";
import { SearchField } from "../../parts/field.js";
import { Empty, ErrorBox, PageHead } from "../../parts/page.js";
import { Table } from "../../parts/table.js";
import { useRole, useTeam } from "../../session.js";
import { keyColumns } from "./columns.js";
import { KeyDialog } from "./key-dialog.js";
import { useKeySpending } from "./spending.js";

/** The page. */
export function KeysPage(): JSX.Element {
  const { teamId } = useTeam();
  const query = useLocation().query.get("q") ?? "";
  const keys = usePages<WireListedKey>(`/auth/teams/${teamId}/api-keys`, "apiKeys", { query });
  const spending = useKeySpending(teamId, keys.value);
  const mayBudget = useRole("owner");
  const create = (
    <button type="button" class="primary" onClick={() => openDialog(<KeyDialog onSaved={keys.reload} />)}>
      Create key
    </button>
  );
  return (
    <>
      <PageHead title="API keys">
        <SearchField label="Search keys" />
        {create}
      </PageHead>
      {spending.error !== null && <ErrorBox error={spending.error} onRetry={spending.reload} />}
      <Table
        label="API keys"
        columns={keyColumns(spending, mayBudget, keys.reload)}
        rows={keys}
        getKey={({ apiKeyId }) => apiKeyId}
        empty={
          query === "" ? (
            <Empty title="No API keys yet">
              <p>
                A program needs a key to use the models. Create one for each program, so that you can tell
                them apart.
              </p>
              {create}
            </Empty>
          ) : (
            <Empty title={`No key has “${query}” in its name`} />
          )
        }
      />
    </>
  );
}
