import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { updateTeam, type Team } from "../../api/teams.js";
import { useSignedIn, useTeam } from "../../session.js";
import { Confirm } from "../../parts/confirm.js";
import { Switch } from "../../parts/switch.js";
import { showToast } from "../../parts/toast.js";

/** Whether the log of requests keeps what requests of the team and their answers have: a switch for its owners. */
export function KeepBodies(): JSX.Element {
  const team = useTeam();
  const [isOpen, setOpen] = useState(false);
  return (
    <section class="panel" aria-labelledby="keep-bodies">
      <header class="page-head">
        <h2 id="keep-bodies">Texts of requests</h2>
        <Switch
          label={`Keep texts of requests of ${team.name}`}
          isOn={team.keepBodies}
          onToggle={() => setOpen(true)}
        />
      </header>
      <p>
        {team.keepBodies
          ? `What requests of ${team.name} and their answers have is kept for some days, and shown with the details of each request. Who may see a request may read it.`
          : `What requests of ${team.name} and their answers have is not kept: only times, tokens and cost are.`}
      </p>
      {isOpen && <KeepDialog team={team} onClose={() => setOpen(false)} />}
    </section>
  );
}

interface KeepDialogProps {
  readonly team: Team;
  readonly onClose: () => void;
}

/** Asks before it is turned on, which people have to know, and off, which deletes. */
function KeepDialog({ team, onClose }: KeepDialogProps): JSX.Element {
  const { reloadTeams } = useSignedIn();
  const [keeps] = useState(team.keepBodies);
  const change = async (): Promise<void> => {
    await updateTeam(team.teamId, { keepBodies: !keeps });
    showToast(keeps ? "Texts are not kept any more." : "Texts are kept from the next request on.");
    reloadTeams();
  };
  if (keeps)
    return (
      <Confirm title="Stop keeping texts" action="Stop and delete" onConfirm={change} onClose={onClose}>
        <p>
          All texts that were kept of the team <strong>{team.name}</strong> are deleted at once. This cannot
          be undone.
        </p>
      </Confirm>
    );
  return (
    <Confirm
      title="Keep texts of requests"
      action="Keep texts"
      isDangerous={false}
      onConfirm={change}
      onClose={onClose}
    >
      <p>
        From the next request on, what models read and write for the team <strong>{team.name}</strong> is kept
        for some days. Tell the people whose requests it is about.
      </p>
      <p class="hint">
        Requests with <code>store: false</code> are never kept. E-mail addresses and known forms of secrets
        are removed first, as the setting <code>requestBodiesRedact</code> says.
      </p>
    </Confirm>
  );
}
