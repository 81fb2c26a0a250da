/** Models: lists them, loads and unloads them, changes their settings, downloads and deletes them. */
import { basePath } from "../../lib/base-path.js";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { WireModel } from "../../../http/management/models/present-model.js";
import { send } from "../../lib/client.js";
import { useList } from "../../lib/resource.js";
import { FormDialog, openDialog } from "../../parts/dialog.js";
import { Field } from "../../parts/field.js";
import { Empty, PageHead } from "../../parts/page.js";
import { Table } from "../../parts/table.js";
import { useIsOperator, useSignedIn } from "../../session.js";
import { modelColumns } from "./columns.js";
import { Pulls, usePulls } from "./pulls.js";
import { TeamModels } from "./team-models.js";

/** Models are loaded and unloaded by requests, too. */
const refreshMs = 5000;

/** The page. */
export function ModelsPage(): JSX.Element {
  const { session } = useSignedIn();
  return session.member.teamId === undefined ? <ServerModels /> : <TeamModels />;
}

function ServerModels(): JSX.Element {
  const isOperator = useIsOperator();
  const models = useList<WireModel>("/admin/models", "data", {}, refreshMs);
  const pulls = usePulls(models.reload);
  const add = isOperator && (
    <button type="button" class="primary" onClick={() => openDialog(<PullDialog onStarted={pulls.reload} />)}>
      Add model
    </button>
  );
  return (
    <>
      <PageHead title="Models">{add}</PageHead>
      <Pulls pulls={pulls} isOperator={isOperator} />
      <Table
        label="Models"
        columns={modelColumns(isOperator, models.reload)}
        rows={models}
        getKey={({ id }) => id}
        empty={
          <Empty title="No models yet">
            <p>Download one from the hub, or put a GGUF file into the folder of models.</p>
            {add}
          </Empty>
        }
      />
    </>
  );
}

/** Asks which model to download, and starts it. */
function PullDialog({ onStarted }: { readonly onStarted: () => void }): JSX.Element {
  const [model, setModel] = useState("");
  const start = () => send("POST", "/admin/models/pull", { model: model.trim() }).then(onStarted);
  return (
    <FormDialog title="Add model" action="Download" onSubmit={start}>
      <Field
        label="Model"
        hint="A name such as qwen3:4b, a repository of the hub such as org/repo or org/repo:Q4_K_M, or an https address of a GGUF file."
        required
        autofocus
        autocomplete="off"
        maxLength={2000}
        value={model}
        onValue={setModel}
      />
      <p class="hint">
        The download goes on when you leave this page. Models that you put into the folder of models appear by
        themselves. <a href={`${basePath}/docs/guides/models`}>The guide of models</a> says more.
      </p>
    </FormDialog>
  );
}
