import type { JSX } from "preact";
import type { NewChannel } from "../../api/alerts.js";
import { Copyable } from "../../parts/copyable.js";
import { Dialog } from "../../parts/dialog.js";

interface SecretDialogProps {
  readonly channel: NewChannel;
  readonly onClose: () => void;
}

/** Shows the secret of a webhook, the only time that it can be seen. */
export function SecretDialog({ channel, onClose }: SecretDialogProps): JSX.Element {
  return (
    <Dialog title="Signing secret" onClose={onClose}>
      <div class="body">
        <p>
          <strong>Copy the secret now.</strong> It cannot be shown again.
        </p>
        <Copyable text={channel.secret ?? ""} label="Signing secret" />
        <p>
          With it, the receiver verifies that a message is from this server. The guide{" "}
          <a href="/docs/guides/alerts">Alerts</a> has the code.
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
