import type { JSX } from "preact";
import { useSignedIn } from "../session.js";

/** The team that the pages show; a choice where the member sees several. */
export function TeamChoice(): JSX.Element | null {
  const { teams, team, chooseTeam } = useSignedIn();
  if (team === null) return null;
  if (teams.length === 1) return <span class="team">{team.name}</span>;
  return (
    <div class="team">
      <select
        aria-label="Team"
        value={team.teamId}
        onChange={(event) => chooseTeam(event.currentTarget.value)}
      >
        {teams.map(({ teamId, name }) => (
          <option key={teamId} value={teamId}>
            {name}
          </option>
        ))}
      </select>
    </div>
  );
}
