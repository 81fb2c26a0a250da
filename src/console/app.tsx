/** What the page shows as a whole: the sign-in, or the console around one of its pages. */
import type { JSX } from "preact";
import { SessionProvider, useSession } from "./session.js";
import { ErrorBox } from "./parts/error-box.js";
import { Loading } from "./parts/loading.js";
import { ToastArea } from "./parts/toast.js";
import { SignInPage } from "./pages/sign-in/sign-in.js";
import { Shell } from "./shell/shell.js";

/** The whole page. */
export function App(): JSX.Element {
  const { session, error, setSession } = useSession();
  if (error !== null) return <ErrorBox error={error} onRetry={() => location.reload()} />;
  if (session === undefined) return <Loading />;
  if (session === null) return <SignInPage onSignedIn={setSession} />;
  return (
    <SessionProvider
      session={session}
      setSession={setSession}
      loading={<Loading />}
      failed={(failure, retry) => <ErrorBox error={failure} onRetry={retry} />}
    >
      <Shell />
      <ToastArea />
    </SessionProvider>
  );
}
