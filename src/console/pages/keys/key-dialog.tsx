import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { keySettings } from "../../../accounts/keys/key-settings.js";
import type { WireCreatedKey, WireListedKey } from "../../../http/management/keys/present-key.js";
import { send, sendChange } from "../../lib/client.js";
import { FormDialog, openDialog } from "../../parts/dialog.js";
import { Field } from "../../parts/field.js";
import { showToast } from "../../parts/toast.js";
import { useTeam } from "../../session.js";
import { AccessChoices } from "./access-fields.js";
import { everything, listAcls, readAccess } from "./describe.js";
import { NewSecret } from "./new-secret.js";
import { nameByLabel, readTexts, textSettings, toChange, type SettingTexts } from "./setting-texts.js";

interface KeyDialogProps {
  /** The key to change; without it, one is created. */
  readonly edited?: WireListedKey;
  readonly onSaved: () => void;
}

/** Asks for the settings of a key, and shows the secret of a new one. */
export function KeyDialog({ edited, onSaved }: KeyDialogProps): JSX.Element {
  const { teamId } = useTeam();
  const [name, setName] = useState(edited?.name ?? "");
  const [access, setAccess] = useState(() =>
    edited === undefined ? everything : readAccess(edited.aclStrings),
  );
  const [texts, setTexts] = useState(() => readTexts(edited));
  const store = async (): Promise<void> => {
    const settings = { name: name.trim(), acls: listAcls(access), ...toChange(texts) };
    if (edited === undefined) {
      const created = await send<WireCreatedKey>("POST", `/auth/teams/${teamId}/api-keys`, settings);
      openDialog(<NewSecret created={created} />);
    } else {
      await sendChange(`/auth/api-keys/${edited.apiKeyId}`, "apiKey", settings);
      showToast(`The key “${name}” is saved.`);
    }
    onSaved();
  };
  return (
    <FormDialog
      title={edited === undefined ? "Create key" : `Edit ${edited.name}`}
      action={edited === undefined ? "Create key" : "Save"}
      onSubmit={() => store().catch(nameByLabel)}
    >
      <Field
        label={keySettings.name.label}
        hint={keySettings.name.hint}
        required
        maxLength={100}
        autofocus
        value={name}
        onValue={setName}
      />
      <AccessChoices
        teamId={teamId}
        access={access}
        onAccess={setAccess}
        groupsTitle="Access groups, which add to these"
      />
      <LimitFields texts={texts} onTexts={setTexts} />
    </FormDialog>
  );
}

interface LimitFieldsProps {
  readonly texts: SettingTexts;
  readonly onTexts: (texts: SettingTexts) => void;
}

function LimitFields({ texts, onTexts }: LimitFieldsProps): JSX.Element {
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
            onValue={(text) => onTexts({ ...texts, [name]: text })}
          />
        ))}
      </div>
    </details>
  );
}
