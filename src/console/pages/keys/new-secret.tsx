import type { JSX } from "preact";
import type { CreatedApiKey } from "../../api/keys.js";
import { Copyable } from "../../parts/copyable.js";
import { Dialog } from "../../parts/dialog.js";

interface NewSecretProps {
  readonly created: CreatedApiKey;
  readonly onClose: () => void;
}

/** Shows the secret of a key, the only time that it can be seen, and how to use it. */
export function NewSecret({ created, onClose }: NewSecretProps): JSX.Element {
  const curl = `curl ${location.origin}/v1/models -H "Authorization: Bearer ${created.apiKey}"`;
  return (
    <Dialog title={`Key ${created.name}`} onClose={onClose}>
      <div class="body">
        <p>
          <strong>Copy the key now.</strong> It is stored nowhere and cannot be shown again.
        </p>
        <Copyable text={created.apiKey} label="API key" />
        <p>Try it:</p>
        <Copyable text={curl} label="Command" />
        <p>
          For clients of OpenAI the base URL is <code>{location.origin}/v1</code>.
        </p>
      </div>
      <footer>
        <button type="button" class="primary" onClick={onClose}>
          Done
        </button>
      </footer>
    </Dialog>
  );
}
