/** Models: lists them, loads and unloads them, changes their settings, downloads and deletes them. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { deleteModel, listModels, type Model } from "../../api/models.js";
import { useResource } from "../../lib/resource.js";
import { useIsOperator, useSignedIn } from "../../session.js";
import { Confirm } from "../../parts/confirm.js";
import { Empty } from "../../parts/empty.js";
import { PageHead } from "../../parts/page-head.js";
import { Table } from "../../parts/table.js";
import { showToast } from "../../parts/toast.js";
import { modelColumns, type OpenModel } from "./columns.js";
import { ModelDialog } from "./model-dialog.js";
import { PullDialog } from "./pull-dialog.js";
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
  const models = useResource(listModels, [], refreshMs);
  const pulls = usePulls(models.reload);
  const [open, setOpen] = useState<OpenModel | null>(null);
  const [isAdding, setAdding] = useState(false);
  const close = (): void => setOpen(null);
  const add = isOperator && (
    <button type="button" class="primary" onClick={() => setAdding(true)}>
      Add model
    </button>
  );
  return (
    <>
      <PageHead title="Models">{add}</PageHead>
      <Pulls pulls={pulls} isOperator={isOperator} />
      <Table
        label="Models"
        columns={modelColumns(isOperator, setOpen, models.reload)}
        rows={models}
        keyOf={({ id }) => id}
        empty={
          <Empty title="No models yet">
            <p>Download one from the hub, or put a GGUF file into the folder of models.</p>
            {add}
          </Empty>
        }
      />
      {isAdding && <PullDialog onStarted={pulls.reload} onClose={() => setAdding(false)} />}
      {open?.kind === "edit" && <ModelDialog model={open.model} onSaved={models.reload} onClose={close} />}
      {open?.kind === "delete" && (
        <DeleteDialog model={open.model} onDeleted={models.reload} onClose={close} />
      )}
    </>
  );
}

interface DeleteDialogProps {
  readonly model: Model;
  readonly onDeleted: () => void;
  readonly onClose: () => void;
}

function DeleteDialog({ model: { id }, onDeleted, onClose }: DeleteDialogProps): JSX.Element {
  const remove = async (): Promise<void> => {
    await deleteModel(id);
    showToast(`The model “${id}” is deleted.`);
    onDeleted();
  };
  return (
    <Confirm title="Delete model" action="Delete model" onConfirm={remove} onClose={onClose}>
      <p>
        The files and the settings of <strong>{id}</strong> are deleted, and requests for it fail from now on.
        It can be downloaded again.
      </p>
    </Confirm>
  );
}
