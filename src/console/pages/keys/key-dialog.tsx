import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { serverAddress } from "../../lib/base-path.js";
import { keySettings, settingEntries } from "../../../accounts/keys/key-settings.js";
import type { WireCreatedKey, WireListedKey } from "../../../http/management/keys/present-key.js";
import { send, sendChange, ApiError } from "../../lib/client.js";
import { FormDialog, openDialog, Notice } from "../../parts/dialog.js";
import { Field, Select } from "../../parts/field.js";
import { showToast } from "../../parts/toast.js";
import { useTeam } from "../../session.js";
import { AccessChoices } from "./access-fields.js";
import { everything, listAcls, readAccess } from "./describe.js";
import { readTexts, textSettings, type SettingTexts } from "./setting-texts.js";
import { now } from "../../lib/clock.js";
import { Copyable } from "../../parts/text.js";

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
            hint={hint}
            {...input}
            value={texts[name] ?? ""}
            onValue={(text) => onTexts({ ...texts, [name]: text })}
          />
        ))}
      </div>
    </details>
  );
}

const hourMs = 3_600_000;

/** How long the old secret stays valid, in hours. */
const choices = [
  ["0", "End at once"],
  ["1", "One hour"],
  ["24", "One day"],
  ["168", "One week"],
] as const;

interface RotateDialogProps {
  readonly apiKey: WireListedKey;
  readonly onSaved: () => void;
}

/** Gives a key a new secret. */
export function RotateDialog({ apiKey: { apiKeyId, name }, onSaved }: RotateDialogProps): JSX.Element {
  const [hours, setHours] = useState<(typeof choices)[number][0]>("24");
  const rotate = async (): Promise<void> => {
    const oldSecretExpireTime = new Date(now() + Number(hours) * hourMs).toISOString();
    const path = `/auth/api-keys/${apiKeyId}/rotate`;
    const created = await send<WireCreatedKey>("POST", path, { oldSecretExpireTime });
    openDialog(<NewSecret created={created} />);
    onSaved();
  };
  return (
    <FormDialog title={`Rotate ${name}`} action="Rotate key" onSubmit={rotate}>
      <p>The key gets a new secret and keeps its name, limits and usage.</p>
      <Select label="The old secret stays valid for" value={hours} onValue={setHours} options={choices} />
    </FormDialog>
  );
}

/** Shows the secret of a key, the only time that it can be seen, and how to use it. */
function NewSecret({ created: { name, apiKey } }: { readonly created: WireCreatedKey }): JSX.Element {
  const curl = `curl ${serverAddress}/v1/models -H "Authorization: Bearer ${apiKey}"`;
  return (
    <Notice title={`Key ${name}`}>
      <p>
        <strong>Copy the key now.</strong> It is stored nowhere and cannot be shown again.
      </p>
      <Copyable text={apiKey} label="API key" />
      <p>Try it:</p>
      <Copyable text={curl} label="Command" />
      <p>
        For clients of OpenAI the base URL is <code>{serverAddress}/v1</code>.
      </p>
    </Notice>
  );
}

/** Throws an error of the API again; a name of a setting, with which its message begins, is replaced by the label. */
function nameByLabel(thrown: unknown): never {
  if (!(thrown instanceof ApiError)) throw thrown;
  const [, name = "", rest = ""] = /^(\w+)(?:\.\d+)?( .*)$/.exec(thrown.message) ?? [];
  const setting = settingEntries.find(([each, { wire }]) => each === name || wire === name)?.[1];
  if (setting === undefined) throw thrown;
  throw new ApiError(thrown.status, setting.label + rest, thrown.field);
}

/** Converts texts to a change that also clears what is empty. */
function toChange(texts: SettingTexts): object {
  const change = textSettings.map(({ name, fromText }) => {
    const text = texts[name]?.trim() ?? "";
    return [name, text === "" ? null : fromText(text)];
  });
  return Object.fromEntries(change) as object;
}
