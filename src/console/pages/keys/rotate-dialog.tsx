import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { rotateKey, type ApiKey, type CreatedApiKey } from "../../api/keys.js";
import { now } from "../../lib/clock.js";
import { Dialog } from "../../parts/dialog.js";
import { Choice } from "../../parts/field.js";
import { Form } from "../../parts/form.js";
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
  readonly apiKey: ApiKey;
  readonly onSaved: () => void;
  readonly onClose: () => void;
}

/** Gives a key a new secret. */
export function RotateDialog({ apiKey, onSaved, onClose }: RotateDialogProps): JSX.Element {
  const [hours, setHours] = useState<(typeof choices)[number][0]>("24");
  const [created, setCreated] = useState<CreatedApiKey | null>(null);
  const rotate = async (): Promise<void> => {
    const oldSecretExpireTime = new Date(now() + Number(hours) * hourMs).toISOString();
    setCreated(await rotateKey(apiKey.apiKeyId, oldSecretExpireTime));
    onSaved();
  };
  if (created !== null) return <NewSecret created={created} onClose={onClose} />;
  return (
    <Dialog title={`Rotate ${apiKey.name}`} onClose={onClose}>
      <Form action="Rotate key" onSubmit={rotate} onCancel={onClose}>
        <p>The key gets a new secret and keeps its name, limits and usage.</p>
        <Choice label="The old secret stays valid for" value={hours} onValue={setHours} options={choices} />
      </Form>
    </Dialog>
  );
}
