import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { subjectFields } from "../../../accounts/budgets/budget.js";
import type { WireBudget } from "../../../http/management/billing/present-budget.js";
import { listBudgetSubjects, setBudget, type BudgetKey, type TypedLimits } from "../../api/budgets.js";
import { useResource } from "../../lib/resource.js";
import { useIsOperator, useTeam } from "../../session.js";
import { Confirm, FormDialog } from "../dialog.js";
import { Field, Select } from "../field.js";
import { periodTitles, toBudgetKey } from "./describe-budget.js";

const noTypedLimits: TypedLimits = {
  hardUsd: null,
  softUsd: null,
  hardTokens: null,
  softTokens: null,
};

interface BudgetDialogProps {
  /** The budget to change; without it, one is created. */
  readonly edited?: WireBudget;
  /** The key that a new budget is for; without it, there is a choice. */
  readonly apiKeyId?: string;
  /** The key, member or team of the edited budget. */
  readonly name: string;
  /** A new budget must not be one of these. */
  readonly existing: readonly WireBudget[];
  readonly onSaved: () => void;
}

interface Subject {
  readonly kind: (typeof subjectFields)[number][1] | "team";
  readonly id: string;
  readonly period: WireBudget["period"];
}

/** Asks for a budget. */
export function BudgetDialog({ edited, apiKeyId, name, existing, onSaved }: BudgetDialogProps): JSX.Element {
  const { teamId } = useTeam();
  const period = freePeriod(existing, apiKeyId);
  const [subject, setSubject] = useState<Subject>({ kind: "key", id: apiKeyId ?? "", period });
  const [limits, setLimits] = useState(() => toLimits(edited));
  const save = async (): Promise<void> => {
    const chosen = edited ?? nameBudget(subject);
    if (Object.values(limits).every((limit) => limit?.trim() === "")) throw new Error("Enter a limit.");
    if (edited === undefined && existing.some((each) => toBudgetKey(each) === toBudgetKey(chosen)))
      throw new Error("There is a budget for this already. Edit that one.");
    await setBudget(teamId, chosen, limits);
    onSaved();
  };
  return (
    <FormDialog
      title={edited === undefined && apiKeyId === undefined ? "Create budget" : `Budget of ${name}`}
      action={edited === undefined ? "Create budget" : "Save"}
      done="The budget is saved."
      onSubmit={save}
    >
      {edited !== undefined && <p>{periodTitles[edited.period]}</p>}
      {edited === undefined && apiKeyId === undefined && (
        <SubjectFields subject={subject} onSubject={setSubject} />
      )}
      {edited === undefined && (
        <Select
          label="Period"
          hint="In UTC; a week starts on Monday."
          value={subject.period}
          onValue={(period) => setSubject({ ...subject, period })}
          options={Object.entries(periodTitles) as [WireBudget["period"], string][]}
        />
      )}
      <LimitFields limits={limits} setLimits={setLimits} />
    </FormDialog>
  );
}

interface SubjectFieldsProps {
  readonly subject: Subject;
  readonly onSubject: (subject: Subject) => void;
}

function SubjectFields({ subject, onSubject }: SubjectFieldsProps): JSX.Element {
  const { teamId } = useTeam();
  const mayTeam = useIsOperator();
  const { value: subjects } = useResource((signal) => listBudgetSubjects(teamId, signal), [teamId]);
  const { kind } = subject;
  const offered = kind === "key" ? subjects?.keys : subjects?.members;
  const id = { required: true, value: subject.id, onValue: (id: string) => onSubject({ ...subject, id }) };
  return (
    <>
      <Select<Subject["kind"]>
        label="Budget of"
        value={kind}
        onValue={(chosen) => onSubject({ ...subject, kind: chosen, id: "" })}
        options={[
          ["key", "An API key"],
          ["member", "A member, with all keys that they created"],
          ["tag", "A tag of requests"],
          ["user", "An end user that requests name"],
          ...(mayTeam ? ([["team", "The team"]] as const) : []),
        ]}
      />
      {kind === "tag" && (
        <Field
          label="Tag"
          hint="As requests have it in the header x-hearth-tags, or in metadata as name:value."
          {...id}
        />
      )}
      {kind === "user" && <Field label="End user" hint="As requests have it in the field user." {...id} />}
      {(kind === "key" || kind === "member") && (
        <Select
          label={kind === "key" ? "API key" : "Member"}
          hint={subjects?.isPart === true ? "There are more: use hearth budgets set for those." : undefined}
          options={[["", "Choose …"], ...(offered ?? [])]}
          {...id}
        />
      )}
    </>
  );
}

interface LimitFieldsProps {
  readonly limits: TypedLimits;
  readonly setLimits: (limits: TypedLimits) => void;
}

function LimitFields({ limits, setLimits }: LimitFieldsProps): JSX.Element {
  const field = (label: string, name: keyof TypedLimits, hint?: string): JSX.Element => (
    <Field
      label={label}
      hint={hint}
      value={limits[name] ?? ""}
      onValue={(value) => setLimits({ ...limits, [name]: value.trim() })}
    />
  );
  return (
    <>
      <fieldset class="fields">
        <legend>Hard limit: refuses requests beyond it</legend>
        {field("Hard limit in USD", "hardUsd", "Such as 12.50; no limit when it is empty.")}
        {field("Hard limit in tokens", "hardTokens", "Prompt, completion and reasoning tokens.")}
      </fieldset>
      <fieldset class="fields">
        <legend>Soft limit: warns from it on</legend>
        {field("Soft limit in USD", "softUsd")}
        {field("Soft limit in tokens", "softTokens")}
      </fieldset>
    </>
  );
}

function toLimits(budget: WireBudget | undefined): TypedLimits {
  const { hardUsd = "", softUsd = "", hardTokens = "", softTokens = "" } = budget ?? {};
  return { hardUsd, softUsd, hardTokens, softTokens };
}

/** Returns a period for which the key has no budget yet. */
function freePeriod(existing: readonly WireBudget[], apiKeyId: string | undefined): WireBudget["period"] {
  const taken = existing.filter((each) => each.apiKeyId === apiKeyId).map(({ period }) => period);
  const order: readonly WireBudget["period"][] = ["month", "day", "week", "total"];
  return (apiKeyId === undefined ? undefined : order.find((period) => !taken.includes(period))) ?? "month";
}

function nameBudget({ kind, id, period }: Subject): BudgetKey {
  const [field] = subjectFields.find(([, subject]) => subject === kind) ?? [];
  return field === undefined ? { period } : { [field]: id.trim(), period };
}

interface RemoveBudgetProps {
  readonly budget: WireBudget;
  /** The key, member or team. */
  readonly name: string;
  readonly onSaved: () => void;
}

/** Asks before a budget is removed. */
export function RemoveBudgetDialog({ budget, name, onSaved }: RemoveBudgetProps): JSX.Element {
  const { teamId } = useTeam();
  return (
    <Confirm
      title="Remove budget"
      done="The budget is removed."
      onSubmit={() => setBudget(teamId, budget, noTypedLimits).then(onSaved)}
    >
      <p>
        From the next request on, <strong>{name}</strong> has no limit{" "}
        {periodTitles[budget.period].toLowerCase()}.
      </p>
    </Confirm>
  );
}
