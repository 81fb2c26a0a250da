import type { JSX } from "preact";
import type { WireTeam } from "../../../http/management/teams/present-team.js";
import { sendChange } from "../../lib/client.js";
import { Confirm, openDialog } from "../../parts/dialog.js";
import { Switch } from "../../parts/field.js";
import { Section } from "../../parts/page.js";
import { useSignedIn, useTeam } from "../../session.js";

/** Whether the log of requests keeps what requests of the team and their answers have: a switch for its owners. */
export function KeepBodies(): JSX.Element {
  const team = useTeam();
  return (
    <Section
      id="keep-bodies"
      title="Texts of requests"
      isPanel
      aside={
        <Switch
          label={`Keep texts of requests of ${team.name}`}
          isOn={team.keepBodies}
          onToggle={() => openDialog(<KeepDialog team={team} />)}
        />
      }
    >
      <p>
        {team.keepBodies
          ? `What requests of ${team.name} and their answers have is kept for some days, and shown with the details of each request. Who may see a request may read it.`
          : `What requests of ${team.name} and their answers have is not kept: only times, tokens and cost are.`}
      </p>
    </Section>
  );
}

/** Asks before it is turned on, which people have to know, and off, which deletes. */
function KeepDialog({ team: { teamId, name, keepBodies } }: { readonly team: WireTeam }): JSX.Element {
  const { reloadTeams } = useSignedIn();
  const change = () =>
    sendChange(`/auth/teams/${teamId}`, "team", { keepBodies: !keepBodies }).then(reloadTeams);
  if (keepBodies)
    return (
      <Confirm
        title="Stop keeping texts"
        action="Stop and delete"
        done="Texts are not kept any more."
        onSubmit={change}
      >
        <p>
          All texts that were kept of the team <strong>{name}</strong> are deleted at once. This cannot be
          undone.
        </p>
      </Confirm>
    );
  return (
    <Confirm
      title="Keep texts of requests"
      action="Keep texts"
      isDangerous={false}
      done="Texts are kept from the next request on."
      onSubmit={change}
    >
      <p>
        From the next request on, what models read and write for the team <strong>{name}</strong> is kept for
        some days. Tell the people whose requests it is about.
      </p>
      <p class="hint">
        Requests with <code>store: false</code> are never kept. E-mail addresses and known forms of secrets
        are removed first, as the setting <code>requestBodiesRedact</code> says.
      </p>
    </Confirm>
  );
}
