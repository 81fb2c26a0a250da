import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { WireCreatedKey, WireListedKey } from "../../../http/management/keys/present-key.js";
import { now } from "../../lib/clock.js";
import { send } from "../../lib/client.js";
import { FormDialog, openDialog } from "../../parts/dialog.js";
import { Select } from "../../parts/field.js";
import { NewSecret } from "./new-secret.js";

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
