/** Who is signed in, and the team that the pages show. */
import { createContext, type ComponentChildren, type JSX } from "preact";
import { useCallback, useContext, useEffect, useState } from "preact/hooks";
import { getSession, type Session } from "./api/session.js";
import { listTeams, type Team } from "./api/teams.js";
import { ApiError, onSessionEnd } from "./lib/client.js";
import { useResource } from "./lib/resource.js";

export type Role = Session["member"]["role"];

interface SignedIn {
  readonly session: Session;
  /** The teams that the member can see. */
  readonly teams: readonly Team[];
  /** The team that the pages show; null on a server without teams. */
  readonly team: Team | null;
  readonly chooseTeam: (teamId: string) => void;
  /** Reads the teams again, after one was added or changed. */
  readonly reloadTeams: () => void;
  readonly setSession: (session: Session | null) => void;
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
export function useTeam(): Team {
  const { team } = useSignedIn();
  if (team === null) throw new Error("the server has no team");
  return team;
}

/** Returns whether the role of the member is this one or a higher one. */
export function useRole(role: Role): boolean {
  const order: readonly Role[] = ["member", "admin", "owner"];
  return order.indexOf(useSignedIn().session.member.role) >= order.indexOf(role);
}

/** Returns whether the member manages the whole server. */
export function useIsOperator(): boolean {
  const { session } = useSignedIn();
  return session.member.teamId === undefined && session.member.role === "owner";
}

export interface SessionState {
  /** undefined until it is known, null when nobody is signed in. */
  readonly session: Session | null | undefined;
  readonly error: Error | null;
  readonly setSession: (session: Session | null) => void;
}

/** Finds the session of this browser, and notices when it ends. */
export function useSession(): SessionState {
  const [session, setSession] = useState<Session | null | undefined>(undefined);
  const [error, setError] = useState<Error | null>(null);
  useEffect(() => {
    getSession().then(setSession, (thrown: unknown) =>
      thrown instanceof ApiError && thrown.status === 401 ? setSession(null) : setError(thrown as Error),
    );
    return onSessionEnd(() => setSession(null));
  }, []);
  return { session, error, setSession };
}

interface SessionProviderProps {
  readonly session: Session;
  readonly setSession: (session: Session | null) => void;
  readonly loading: JSX.Element;
  readonly failed: (error: Error, retry: () => void) => JSX.Element;
  readonly children: ComponentChildren;
}

/** Gives the pages below it the session, once its teams are known. */
export function SessionProvider({
  session,
  setSession,
  loading,
  failed,
  children,
}: SessionProviderProps): JSX.Element {
  const teams = useResource((signal) => listTeams(undefined, signal), [session.member.memberId]);
  const [teamId, setTeamId] = useState(() => localStorage.getItem(teamStorageKey));
  const chooseTeam = useCallback((id: string) => {
    localStorage.setItem(teamStorageKey, id);
    setTeamId(id);
  }, []);
  if (teams.value === null) return teams.error === null ? loading : failed(teams.error, teams.reload);
  const { items } = teams.value;
  const team = items.find((each) => each.teamId === teamId) ?? items[0] ?? null;
  const { reload: reloadTeams } = teams;
  return (
    <SignedInContext.Provider value={{ session, teams: items, team, chooseTeam, reloadTeams, setSession }}>
      {children}
    </SignedInContext.Provider>
  );
}
