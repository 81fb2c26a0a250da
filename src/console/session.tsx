/** Who is signed in, and the team that the pages show. */
import { createContext, type ComponentChildren, type JSX } from "preact";
import { useCallback, useContext, useEffect, useState } from "preact/hooks";
import type { MemberRole } from "../accounts/principals/member.js";
import type { WireSession } from "../http/console/present.js";
import type { WireTeam } from "../http/management/teams/present-team.js";
import { ApiError, get, onSessionEnd } from "./lib/client.js";
import { toError, useList } from "./lib/resource.js";
import { ErrorBox, Loading } from "./parts/page.js";

/** Most teams of which the console offers a choice. */
const teamsMax = 1000;

interface SignedIn {
  readonly session: WireSession;
  /** The teams that the member can see. */
  readonly teams: readonly WireTeam[];
  /** The team that the pages show; null on a server without teams. */
  readonly team: WireTeam | null;
  readonly chooseTeam: (teamId: string) => void;
  /** Reads the teams again, after one was added or changed. */
  readonly reloadTeams: () => void;
  readonly setSession: (session: WireSession | null) => void;
}

const SignedInContext = createContext<SignedIn | null>(null);
const teamStorageKey = "hearth.team";

/** Returns who is signed in. */
export function useSignedIn(): SignedIn {
  const signedIn = useContext(SignedInContext);
  if (signedIn === null) throw new Error("nobody is signed in");
  return signedIn;
}

/** Returns the team that the pages show. */
export function useTeam(): WireTeam {
  const { team } = useSignedIn();
  if (team === null) throw new Error("the server has no team");
  return team;
}

/** Returns whether the role of the member is this one or a higher one. */
export function useRole(role: MemberRole): boolean {
  const order: readonly MemberRole[] = ["member", "admin", "owner"];
  return order.indexOf(useSignedIn().session.member.role) >= order.indexOf(role);
}

/** Returns whether the member manages the whole server. */
export function useIsOperator(): boolean {
  const { session } = useSignedIn();
  return session.member.teamId === undefined && session.member.role === "owner";
}

interface SessionState {
  /** undefined until it is known, null when nobody is signed in. */
  readonly session: WireSession | null | undefined;
  readonly error: Error | null;
  readonly setSession: (session: WireSession | null) => void;
}

/** Finds the session of this browser, and notices when it ends. */
export function useSession(): SessionState {
  const [session, setSession] = useState<WireSession | null | undefined>(undefined);
  const [error, setError] = useState<Error | null>(null);
  useEffect(() => {
    get<WireSession>("/session").then(setSession, (thrown: unknown) =>
      thrown instanceof ApiError && thrown.status === 401 ? setSession(null) : setError(toError(thrown)),
    );
    return onSessionEnd(() => setSession(null));
  }, []);
  return { session, error, setSession };
}

interface SessionProviderProps {
  readonly session: WireSession;
  readonly setSession: (session: WireSession | null) => void;
  readonly children: ComponentChildren;
}

/** Gives the pages below it the session, once its teams are known. */
export function SessionProvider({ session, setSession, children }: SessionProviderProps): JSX.Element {
  const query = { pageSize: teamsMax };
  const { value: teams, error, reload: reloadTeams } = useList<WireTeam>("/auth/teams", "teams", query);
  const [teamId, setTeamId] = useState(() => localStorage.getItem(teamStorageKey));
  const chooseTeam = useCallback((id: string) => {
    localStorage.setItem(teamStorageKey, id);
    setTeamId(id);
  }, []);
  if (teams === null) return error === null ? <Loading /> : <ErrorBox error={error} onRetry={reloadTeams} />;
  const team = teams.find((each) => each.teamId === teamId) ?? teams[0] ?? null;
  return (
    <SignedInContext.Provider value={{ session, teams, team, chooseTeam, reloadTeams, setSession }}>
      {children}
    </SignedInContext.Provider>
  );
}
