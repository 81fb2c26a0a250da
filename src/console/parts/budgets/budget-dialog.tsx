import type { JSX } from "preact";
import { useState } from "preact/hooks";
import {
  setBudget,
  type Budget,
  type BudgetLimits,
  type BudgetName,
  type BudgetPeriod,
  type BudgetSubjects,
} from "../../api/budgets.js";
import { Dialog } from "../dialog.js";
import { Choice, Field } from "../field.js";
import { Form } from "../form.js";
import { showToast } from "../toast.js";
import { periodTitles, readBudgetSubject } from "./describe-budget.js";

interface BudgetDialogProps {
  readonly teamId: string;
  /** The budget to change; without it, one is created. */
  readonly edited?: Budget;
  /** The key that a new budget is for; without it, there is a choice. */
  readonly apiKeyId?: string;
  /** The key, member or team of the edited budget. */
  readonly name: string;
  /** A new budget must not be one of these. */
  readonly existing: readonly Budget[];
  readonly subjects: BudgetSubjects | null;
  /** Whether the member may set the budget of the team. */
  readonly mayTeam: boolean;
  readonly onSaved: () => void;
  readonly onClose: () => void;
}

type Kind = "key" | "member" | "tag" | "user" | "team";

interface Subject {
  readonly kind: Kind;
  readonly id: string;
  readonly period: BudgetPeriod;
}

/** Asks for a budget. */
export function BudgetDialog(props: BudgetDialogProps): JSX.Element {
  const { teamId, edited, apiKeyId, name, existing, onSaved, onClose } = props;
  const [subject, setSubject] = useState<Subject>({
    kind: "key",
    id: apiKeyId ?? "",
    period: freePeriod(existing, apiKeyId),
  });
  const [limits, setLimits] = useState(() => toLimits(edited));
  const chosen = edited ?? toBudgetName(subject);
  const save = async (): Promise<void> => {
    if (Object.values(limits).every((limit) => limit?.trim() === "")) throw new Error("Enter a limit.");
    if (existing.some((each) => isSame(each, chosen)))
      throw new Error("There is a budget for this already. Edit that one.");
    await setBudget(teamId, chosen, limits);
    showToast("The budget is saved.");
    onSaved();
    onClose();
  };
  const title = edited === undefined && apiKeyId === undefined ? "Create budget" : `Budget of ${name}`;
  return (
    <Dialog title={title} onClose={onClose}>
      <Form action={edited === undefined ? "Create budget" : "Save"} onSubmit={save} onCancel={onClose}>
        {edited === undefined && <SubjectFields {...props} subject={subject} setSubject={setSubject} />}
        {edited !== undefined && <p>{periodTitles[edited.period]}</p>}
        <LimitFields limits={limits} setLimits={setLimits} />
      </Form>
    </Dialog>
  );
}

interface SubjectFieldsProps extends Pick<BudgetDialogProps, "apiKeyId" | "subjects" | "mayTeam"> {
  readonly subject: Subject;
  readonly setSubject: (subject: Subject) => void;
}

function SubjectFields(props: SubjectFieldsProps): JSX.Element {
  const { apiKeyId, subjects, mayTeam, subject, setSubject } = props;
  const kinds: readonly (readonly [Kind, string])[] = [
    ["key", "An API key"],
    ["member", "A member, with all keys that they created"],
    ["tag", "A tag of requests"],
    ["user", "An end user that requests name"],
    ...(mayTeam ? ([["team", "The team"]] as const) : []),
  ];
  const periods = Object.entries(periodTitles) as [BudgetPeriod, string][];
  const offered = subject.kind === "key" ? subjects?.keys : subjects?.members;
  return (
    <>
      {apiKeyId === undefined && (
        <Choice
          label="Budget of"
          value={subject.kind}
          onValue={(kind) => setSubject({ ...subject, kind, id: "" })}
          options={kinds}
        />
      )}
      {(subject.kind === "tag" || subject.kind === "user") && (
        <Field
          label={subject.kind === "tag" ? "Tag" : "End user"}
          required
          hint={
            subject.kind === "tag"
              ? "As requests have it in the header x-hearth-tags, or in metadata as name:value."
              : "As requests have it in the field user."
          }
          value={subject.id}
          onValue={(id) => setSubject({ ...subject, id })}
        />
      )}
      {apiKeyId === undefined && (subject.kind === "key" || subject.kind === "member") && (
        <Choice
          label={subject.kind === "key" ? "API key" : "Member"}
          required
          {...(subjects?.isPart === true
            ? { hint: "There are more: use hearth budgets set for those." }
            : {})}
          value={subject.id}
          onValue={(id) => setSubject({ ...subject, id })}
          options={[["", "Choose …"], ...(offered ?? [])]}
        />
      )}
      <Choice
        label="Period"
        hint="In UTC; a week starts on Monday."
        value={subject.period}
        onValue={(period) => setSubject({ ...subject, period })}
        options={periods}
      />
    </>
  );
}

interface LimitFieldsProps {
  readonly limits: BudgetLimits;
  readonly setLimits: (limits: BudgetLimits) => void;
}

function LimitFields({ limits, setLimits }: LimitFieldsProps): JSX.Element {
  const field = (label: string, name: keyof BudgetLimits, hint?: string): JSX.Element => (
    <Field
      label={label}
      {...(hint === undefined ? {} : { hint })}
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

function toLimits(budget: Budget | undefined): BudgetLimits {
  const { hardUsd = "", softUsd = "", hardTokens = "", softTokens = "" } = budget ?? {};
  return { hardUsd, softUsd, hardTokens, softTokens };
}

/** Returns a period for which the key has no budget yet. */
function freePeriod(existing: readonly Budget[], apiKeyId: string | undefined): BudgetPeriod {
  const taken = existing.filter((each) => each.apiKeyId === apiKeyId).map(({ period }) => period);
  const order: readonly BudgetPeriod[] = ["month", "day", "week", "total"];
  return (apiKeyId === undefined ? undefined : order.find((period) => !taken.includes(period))) ?? "month";
}

function toBudgetName({ kind, id, period }: Subject): BudgetName {
  if (kind === "team") return { period };
  if (kind === "key") return { apiKeyId: id, period };
  if (kind === "member") return { memberId: id, period };
  return kind === "tag" ? { tag: id.trim(), period } : { endUser: id.trim(), period };
}

function isSame(one: BudgetName, other: BudgetName): boolean {
  return (
    one.period === other.period &&
    JSON.stringify(readBudgetSubject(one)) === JSON.stringify(readBudgetSubject(other))
  );
}
