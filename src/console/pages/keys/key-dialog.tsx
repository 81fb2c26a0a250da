import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { listEndpoints, listGroupNames, listKeyModels } from "../../api/access.js";
import { keySettings } from "../../../accounts/keys/key-settings.js";
import { createKey, updateKey, type ApiKey, type CreatedApiKey, type KeyChange } from "../../api/keys.js";
import { useResource } from "../../lib/resource.js";
import { Dialog } from "../../parts/dialog.js";
import { Field } from "../../parts/field.js";
import { Form } from "../../parts/form.js";
import { showToast } from "../../parts/toast.js";
import { AccessFields, EndpointAndModelFields } from "./access-fields.js";
import { readAccess, listAcls } from "./describe.js";
import { NewSecret } from "./new-secret.js";
import { nameByLabel, readTexts, textSettings, toChange, type SettingTexts } from "./setting-texts.js";

interface KeyDialogProps {
  readonly teamId: string;
  /** The key to change; without it, one is created. */
  readonly edited?: ApiKey;
  readonly onSaved: () => void;
  readonly onClose: () => void;
}

/** Asks for the settings of a key, and shows the secret of a new one. */
export function KeyDialog({ teamId, edited, onSaved, onClose }: KeyDialogProps): JSX.Element {
  const [fields, setFields] = useState(() => toFields(edited));
  const [created, setCreated] = useState<CreatedApiKey | null>(null);
  const set = (change: Partial<Fields>): void => setFields({ ...fields, ...change });
  const store = async (): Promise<void> => {
    if (edited === undefined) return setCreated(await createKey(teamId, toSettings(fields)));
    await updateKey(edited.apiKeyId, toSettings(fields));
    showToast(`The key “${fields.name}” is saved.`);
    onClose();
  };
  const save = async (): Promise<void> => {
    await store().catch(nameByLabel);
    onSaved();
  };
  if (created !== null) return <NewSecret created={created} onClose={onClose} />;
  const title = edited === undefined ? "Create key" : `Edit ${edited.name}`;
  return (
    <Dialog title={title} onClose={onClose}>
      <Form action={edited === undefined ? "Create key" : "Save"} onSubmit={save} onCancel={onClose}>
        <Field
          label={keySettings.name.label}
          hint={keySettings.name.hint}
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
  readonly texts: SettingTexts;
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

function Limits({ fields, set }: PartProps): JSX.Element {
  const { texts } = fields;
  return (
    <details open={textSettings.some(({ name }) => texts[name] !== "")}>
      <summary>Limits</summary>
      <div class="fields">
        {textSettings.map(({ name, label, hint, input }) => (
          <Field
            key={name}
            label={label}
            {...(hint !== undefined && { hint })}
            {...input}
            value={texts[name] ?? ""}
            onValue={(text) => set({ texts: { ...texts, [name]: text } })}
          />
        ))}
      </div>
    </details>
  );
}

function toFields(key: ApiKey | undefined): Fields {
  const access =
    key === undefined ? { endpoints: null, models: null, groups: [] } : readAccess(key.aclStrings);
  return { name: key?.name ?? "", ...access, texts: readTexts(key) };
}

function toSettings(fields: Fields): KeyChange {
  return { name: fields.name.trim(), acls: [...listAcls(fields)], ...toChange(fields.texts) };
}
