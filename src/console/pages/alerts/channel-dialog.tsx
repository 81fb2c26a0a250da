import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { WireChannel, WireNewChannel } from "../../../http/management/alerts/present-alerts.js";
import { send } from "../../lib/client.js";
import { FormDialog } from "../../parts/dialog.js";
import { Field, Select } from "../../parts/field.js";
import { useIsOperator, useTeam } from "../../session.js";

interface ChannelDialogProps {
  /** Called with the secret of a webhook. */
  readonly onAdded: (channel: WireNewChannel) => void;
}

/** Asks for a channel. */
export function ChannelDialog({ onAdded }: ChannelDialogProps): JSX.Element {
  const { teamId, name } = useTeam();
  const isOperator = useIsOperator();
  const [kind, setKind] = useState<WireChannel["kind"]>("webhook");
  const [scope, setScope] = useState<"server" | "team">(isOperator ? "server" : "team");
  const [target, setTarget] = useState("");
  const [credit, setCredit] = useState("");
  const save = async (): Promise<void> => {
    const body = {
      teamId: scope === "team" ? teamId : undefined,
      kind,
      target: target.trim(),
      creditBelowUsd: credit.trim() || undefined,
    };
    onAdded(await send<WireNewChannel>("POST", "/admin/alerts/channels", body));
  };
  return (
    <FormDialog title="Add channel" done="The channel is added." onSubmit={save}>
      <Select
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
        {...(kind === "webhook" && { hint: "An https URL; each message is signed." })}
        value={target}
        onValue={setTarget}
      />
      {isOperator && (
        <Select
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
    </FormDialog>
  );
}
