import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { addChannel, type Channel, type NewChannel } from "../../api/alerts.js";
import { useIsOperator, useTeam } from "../../session.js";
import { Dialog } from "../../parts/dialog.js";
import { Choice, Field } from "../../parts/field.js";
import { Form } from "../../parts/form.js";
import { showToast } from "../../parts/toast.js";

interface ChannelDialogProps {
  readonly onAdded: (channel: NewChannel) => void;
  readonly onClose: () => void;
}

/** Asks for a channel. */
export function ChannelDialog({ onAdded, onClose }: ChannelDialogProps): JSX.Element {
  const { teamId, name } = useTeam();
  const isOperator = useIsOperator();
  const [kind, setKind] = useState<Channel["kind"]>("webhook");
  const [scope, setScope] = useState<"server" | "team">(isOperator ? "server" : "team");
  const [target, setTarget] = useState("");
  const [credit, setCredit] = useState("");
  const save = async (): Promise<void> => {
    const creditBelowUsd = credit.trim() === "" ? undefined : credit.trim();
    const ofTeam = scope === "team" ? teamId : undefined;
    onAdded(await addChannel({ teamId: ofTeam, kind, target: target.trim(), creditBelowUsd }));
    showToast("The channel is added.");
    onClose();
  };
  return (
    <Dialog title="Add channel" onClose={onClose}>
      <Form action="Add channel" onSubmit={save} onCancel={onClose}>
        <Choice
          label="Send to"
          value={kind}
          onValue={setKind}
          options={[
            ["webhook", "A webhook"],
            ["email", "An e-mail address"],
          ]}
        />
        <Field
          label={kind === "webhook" ? "URL" : "E-mail address"}
          type={kind === "webhook" ? "url" : "email"}
          required
          {...(kind === "webhook" ? { hint: "An https URL; each message is signed." } : {})}
          value={target}
          onValue={setTarget}
        />
        {isOperator && (
          <Choice
            label="Alerts of"
            value={scope}
            onValue={setScope}
            options={[
              ["server", "The whole server and all teams"],
              ["team", `Team ${name}`],
            ]}
          />
        )}
        <Field
          label="Alert when credit is below, in USD"
          hint="Such as 12.50; the amount of the server's settings when it is empty."
          value={credit}
          onValue={setCredit}
        />
      </Form>
    </Dialog>
  );
}
