import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { listEndpoints, listGroupNames, listKeyModels } from "../../api/access.js";
import { createKey, updateKey, type ApiKey, type CreatedApiKey, type KeySettings } from "../../api/keys.js";
import { useResource } from "../../lib/resource.js";
import { Dialog } from "../../parts/dialog.js";
import { Field } from "../../parts/field.js";
import { Form } from "../../parts/form.js";
import { showToast } from "../../parts/toast.js";
import { AccessFields, EndpointAndModelFields } from "./access-fields.js";
import { accessOf, aclsOf } from "./describe.js";
import { NewSecret } from "./new-secret.js";

interface KeyDialogProps {
  readonly teamId: string;
  /** The key to change; without it, one is created. */
  readonly edited?: ApiKey;
  readonly onSaved: () => void;
  readonly onClose: () => void;
}

/** Asks for the settings of a key, and shows the secret of a new one. */
export function KeyDialog({ teamId, edited, onSaved, onClose }: KeyDialogProps): JSX.Element {
  const [fields, setFields] = useState(() => fieldsOf(edited));
  const [created, setCreated] = useState<CreatedApiKey | null>(null);
  const set = (change: Partial<Fields>): void => setFields({ ...fields, ...change });
  const save = async (): Promise<void> => {
    if (edited === undefined) setCreated(await createKey(teamId, settingsOf(fields)));
    else {
      await updateKey(edited.apiKeyId, settingsOf(fields));
      showToast(`The key “${fields.name}” is saved.`);
      onClose();
    }
    onSaved();
  };
  if (created !== null) return <NewSecret created={created} onClose={onClose} />;
  const title = edited === undefined ? "Create key" : `Edit ${edited.name}`;
  return (
    <Dialog title={title} onClose={onClose}>
      <Form action={edited === undefined ? "Create key" : "Save"} onSubmit={save} onCancel={onClose}>
        <Field
          label="Name"
          hint="What the key is for, such as the name of the program."
          required
          maxLength={100}
          autofocus
          value={fields.name}
          onValue={(name) => set({ name })}
        />
        <Access teamId={teamId} fields={fields} set={set} />
        <Limits fields={fields} set={set} />
      </Form>
    </Dialog>
  );
}

interface Fields {
  readonly name: string;
  readonly endpoints: readonly string[] | null;
  readonly models: readonly string[] | null;
  readonly groups: readonly string[];
  readonly qps: string;
  readonly qpm: string;
  readonly tpm: string;
  readonly endUserQpm: string;
  readonly endUserTpm: string;
  /** Local date and time, as the browser's field has it. */
  readonly expireTime: string;
  readonly ipRanges: string;
}

interface PartProps {
  readonly fields: Fields;
  readonly set: (change: Partial<Fields>) => void;
}

function Access({ teamId, fields, set }: PartProps & { readonly teamId: string }): JSX.Element {
  const endpoints = useResource((signal) => listEndpoints(teamId, signal), [teamId]);
  const models = useResource((signal) => listKeyModels(teamId, signal), [teamId]);
  const groups = useResource(listGroupNames, []);
  const groupNames = groups.value ?? [];
  return (
    <>
      <EndpointAndModelFields
        endpoints={endpoints.value ?? []}
        models={models.value ?? []}
        chosen={fields}
        onChosen={set}
      />
      {groupNames.length + fields.groups.length > 0 && (
        <AccessFields
          title="Access groups, which add to these"
          names={groupNames}
          chosen={fields.groups}
          onChosen={(chosen) => set({ groups: chosen ?? [] })}
        />
      )}
    </>
  );
}

const limitFields = ["qps", "qpm", "tpm", "endUserQpm", "endUserTpm"] as const;
type LimitField = (typeof limitFields)[number];

function Limits({ fields, set }: PartProps): JSX.Element {
  const limit = (label: string, name: LimitField, hint?: string): JSX.Element => (
    <Field
      label={label}
      {...(hint !== undefined && { hint })}
      type="number"
      min={1}
      value={fields[name]}
      onValue={(value) => set({ [name]: value })}
    />
  );
  return (
    <details open={([...limitFields, "expireTime", "ipRanges"] as const).some((name) => fields[name] !== "")}>
      <summary>Limits</summary>
      <div class="fields">
        {limit("Requests per second", "qps")}
        {limit("Requests per minute", "qpm")}
        {limit("Tokens per minute", "tpm")}
        {limit(
          "Requests per minute of each end user",
          "endUserQpm",
          "Programs name the person whom a request is for in its field user.",
        )}
        {limit("Tokens per minute of each end user", "endUserTpm")}
        <Field
          label="Expires"
          hint="In your local time; never when it is empty."
          type="datetime-local"
          value={fields.expireTime}
          onValue={(expireTime) => set({ expireTime })}
        />
        <Field
          label="Addresses"
          hint="IP addresses and ranges such as 10.0.0.0/8, with spaces between them; any when it is empty."
          value={fields.ipRanges}
          onValue={(ipRanges) => set({ ipRanges })}
        />
      </div>
    </details>
  );
}

function fieldsOf(key: ApiKey | undefined): Fields {
  const { endpoints, models, groups } =
    key === undefined ? { endpoints: null, models: null, groups: [] } : accessOf(key.aclStrings);
  return {
    name: key?.name ?? "",
    endpoints,
    models,
    groups,
    qps: String(key?.qps ?? ""),
    qpm: String(key?.qpm ?? ""),
    tpm: key?.tpm ?? "",
    endUserQpm: String(key?.endUserQpm ?? ""),
    endUserTpm: key?.endUserTpm ?? "",
    expireTime: key?.expireTime === undefined ? "" : localFieldTime(new Date(key.expireTime)),
    ipRanges: key?.ipRanges?.join(" ") ?? "",
  };
}

function settingsOf(fields: Fields): KeySettings {
  const limit = (text: string): number | null => (text === "" ? null : Number(text));
  return {
    name: fields.name.trim(),
    acls: aclsOf(fields),
    qps: limit(fields.qps),
    qpm: limit(fields.qpm),
    tpm: limit(fields.tpm),
    endUserQpm: limit(fields.endUserQpm),
    endUserTpm: limit(fields.endUserTpm),
    expireTime: fields.expireTime === "" ? null : new Date(fields.expireTime).toISOString(),
    ipRanges: fields.ipRanges.split(/[\s,]+/).filter((range) => range !== ""),
  };
}

/** Returns the time as a field of type `datetime-local` has it, to the second. */
function localFieldTime(time: Date): string {
  const local = new Date(time.getTime() - time.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 19);
}
