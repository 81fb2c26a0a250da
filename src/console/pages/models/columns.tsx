import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import { projectorText } from "../../../core/report/projector-text.js";
import type { WireModel } from "../../../http/management/models/present-model.js";
import { toModelPath } from "../../api/models.js";
import { send } from "../../lib/client.js";
import { sizeText } from "../../../core/report/size-text.js";
import { countText, dollarsText } from "../../lib/format.js";
import { Confirm, openDialog } from "../../parts/dialog.js";
import type { Column } from "../../parts/table.js";
import { Ago } from "../../parts/text.js";
import { showError, showToast } from "../../parts/toast.js";
import { ModelDialog } from "./model-dialog.js";

/** The columns of the table of models. @param isOperator whether the member may change models */
export function modelColumns(isOperator: boolean, reload: () => void): readonly Column<WireModel>[] {
  const actions: Column<WireModel> = {
    title: "Actions",
    kind: "actions",
    cell: (model) => <Actions model={model} reload={reload} />,
  };
  return [
    { title: "Model", cell: (model) => <NameCell {...model} /> },
    { title: "Kind", cell: (model) => <KindCell {...model} /> },
    { title: "Size", cell: (model) => <Lines first={sizeText(model.bytes)} second={contextText(model)} /> },
    { title: "Memory", cell: (model) => <MemoryCell {...model} /> },
    { title: "Price of a million tokens", cell: (model) => <PriceCell {...model} /> },
    ...(isOperator ? [actions] : []),
  ];
}

interface NameProps {
  readonly id: string;
  readonly aliases: readonly string[];
  /** Why the model cannot be used. */
  readonly unusable?: string | null;
}

/** A name with its aliases below it. */
export function NameCell({ id, aliases, unusable }: NameProps): JSX.Element {
  return (
    <>
      <strong class="model-name">{id}</strong>
      {aliases.length > 0 && <small class="below">also {aliases.join(", ")}</small>}
      {typeof unusable === "string" && (
        <small class="below">
          <span class="state bad">cannot be used</span> {unusable}
        </small>
      )}
    </>
  );
}

/** What a model is for, and what it reads beside text. */
function KindCell({ kind, family, projector, projectorProblem }: WireModel): JSX.Element {
  return (
    <>
      <Lines first={kind} second={family} />
      {projector !== null && (
        <small class="below">{projectorText({ ...projector, path: projector.file })}</small>
      )}
      {projectorProblem !== null && (
        <small class="below">
          <span class="state bad">reads text alone</span> {projectorProblem}
        </small>
      )}
    </>
  );
}

/** Two lines, the second one small. */
export function Lines({
  first,
  second,
}: {
  readonly first: ComponentChildren;
  readonly second: ComponentChildren;
}): JSX.Element {
  return (
    <>
      {first}
      <small class="below">{second}</small>
    </>
  );
}

function contextText({ kind, contextTokens }: WireModel): string {
  return kind === "image" || kind === "vision" ? "" : `${countText(contextTokens)} tokens of context`;
}

function MemoryCell({ memory, fit, unusable }: WireModel): JSX.Element {
  if (memory !== null)
    return (
      <Lines
        first={
          <>
            <span class="state good">in memory</span> <span class="whole">{sizeText(memory.bytes)}</span>
          </>
        }
        second={
          memory.until === null ? (
            `in use: ${memory.slotsHeld} of ${memory.slots} slots`
          ) : (
            <>
              leaves <Ago at={memory.until} />
            </>
          )
        }
      />
    );
  if (unusable !== null) return <>–</>;
  const needs = `needs ${sizeText(fit.neededBytes)}`;
  if (fit.verdict === "fits") return <>{needs}</>;
  const why =
    fit.fittingTokens === null
      ? `models may take ${sizeText(fit.limitBytes)}`
      : `fits with a context of ${countText(fit.fittingTokens)} tokens`;
  return (
    <Lines
      first={
        <>
          <span class="state warn">does not fit</span> {needs}
        </>
      }
      second={why}
    />
  );
}

function PriceCell({ kind, prices }: WireModel): JSX.Element {
  const image = Number(prices.image);
  if (kind === "image") return <>{image === 0 ? "free" : `${dollarsText(image)} an image`}</>;
  const [prompt, cached, completion] = [prices.prompt, prices.cached, prices.completion].map(Number);
  if (!prompt && !cached && !completion) return <>free</>;
  const cachedText = cached === prompt ? "" : `cached ${dollarsText(cached ?? 0)}`;
  const answer = kind === "chat" ? `${dollarsText(completion ?? 0)} answer` : "";
  return (
    <Lines
      first={`${dollarsText(prompt ?? 0)} prompt`}
      second={[answer, cachedText].filter((part) => part !== "").join(", ")}
    />
  );
}

interface ActionsProps {
  readonly model: WireModel;
  readonly reload: () => void;
}

function Actions({ model, reload }: ActionsProps): JSX.Element {
  const [isBusy, setBusy] = useState(false);
  const { id, kind, memory, unusable } = model;
  const toggle = (): void => {
    if (isBusy) return;
    setBusy(true);
    const change = memory === null ? "load" : "unload";
    const changed = send<WireModel>("POST", `/admin/models/${change}`, { model: id });
    const done = (now: WireModel): void => {
      if (memory === null) showToast(`The model “${id}” is in memory.`);
      else if (now.memory?.until === null) showToast(`“${id}” leaves memory when its last answer has ended.`);
      reload();
    };
    changed.then(done, showError).finally(() => setBusy(false));
  };
  const canLoad = unusable === null && (kind !== "vision" || memory !== null);
  return (
    <>
      {canLoad && (
        <button type="button" aria-busy={isBusy} onClick={toggle}>
          {isBusy ? (memory === null ? "Loading …" : "Unloading …") : memory === null ? "Load" : "Unload"}
        </button>
      )}
      <button type="button" onClick={() => openDialog(<ModelDialog model={model} onSaved={reload} />)}>
        Edit
      </button>
      <button type="button" onClick={() => openDialog(<DeleteDialog id={id} onDeleted={reload} />)}>
        Delete
      </button>
    </>
  );
}

interface DeleteDialogProps {
  readonly id: string;
  readonly onDeleted: () => void;
}

function DeleteDialog({ id, onDeleted }: DeleteDialogProps): JSX.Element {
  return (
    <Confirm
      title="Delete model"
      done={`The model “${id}” is deleted.`}
      onSubmit={() => send("DELETE", toModelPath(id)).then(onDeleted)}
    >
      <p>
        The files and the settings of <strong>{id}</strong> are deleted, and requests for it fail from now on.
        It can be downloaded again.
      </p>
    </Confirm>
  );
}
