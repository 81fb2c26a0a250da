/** Models: lists them, loads and unloads them, changes their settings, downloads and deletes them. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import {
  deleteModel,
  listModels,
  type Model,
  pullModel,
  listTeamModels,
  type TeamModel,
} from "../../api/models.js";
import { countText, dollarsText } from "../../lib/format.js";
import { useResource } from "../../lib/resource.js";
import { Dialog } from "../../parts/dialog.js";
import { Field } from "../../parts/field.js";
import { Form } from "../../parts/form.js";
import { useIsOperator, useSignedIn, useTeam } from "../../session.js";
import { Confirm } from "../../parts/confirm.js";
import { Empty } from "../../parts/empty.js";
import { PageHead } from "../../parts/page-head.js";
import { Table, type Column } from "../../parts/table.js";
import { showToast } from "../../parts/toast.js";
import { modelColumns, type OpenModel, Lines, NameCell } from "./columns.js";
import { ModelDialog } from "./model-dialog.js";
import { Pulls, usePulls } from "./pulls.js";

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
        getKey={({ id }) => id}
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

interface PullDialogProps {
  readonly onStarted: () => void;
  readonly onClose: () => void;
}

/** Asks which model to download, and starts it. */
function PullDialog({ onStarted, onClose }: PullDialogProps): JSX.Element {
  const [model, setModel] = useState("");
  const start = async (): Promise<void> => {
    await pullModel(model.trim());
    onStarted();
    onClose();
  };
  return (
    <Dialog title="Add model" onClose={onClose}>
      <Form action="Download" onSubmit={start} onCancel={onClose}>
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
          The download goes on when you leave this page. Models that you put into the folder of models appear
          by themselves. <a href="/docs/guides/models">The guide of models</a> says more.
        </p>
      </Form>
    </Dialog>
  );
}

/** The models that a team may use, for its members. */
function TeamModels(): JSX.Element {
  const { teamId } = useTeam();
  const models = useResource((signal) => listTeamModels(teamId, signal), [teamId]);
  return (
    <>
      <PageHead title="Models" />
      <Table
        label="Models"
        columns={columns}
        rows={models}
        getKey={({ id }) => id}
        empty={
          <Empty title="No models yet">
            <p>Ask the operator of this server to add one.</p>
          </Empty>
        }
      />
    </>
  );
}

const columns: readonly Column<TeamModel>[] = [
  { title: "Model", cell: (model) => <NameCell {...model} /> },
  { title: "Kind", cell: ({ kind }) => kind },
  {
    title: "Context",
    kind: "number",
    cell: ({ contextTokens }) => (contextTokens === null ? "–" : countText(contextTokens)),
  },
  { title: "Price", cell: (model) => <Price {...model} /> },
];

function Price({ kind, prices: [first = 0, answer] }: TeamModel): JSX.Element {
  if (first === 0 && (answer ?? 0) === 0) return <>free</>;
  if (kind === "image") return <>{dollarsText(first)} an image</>;
  const texts = [
    `${dollarsText(first)} prompt`,
    ...(answer === undefined ? [] : [`${dollarsText(answer)} answer`]),
  ];
  return <Lines first={texts.join(", ")} second="per million tokens" />;
}
