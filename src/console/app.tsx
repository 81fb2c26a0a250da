/** What the page shows as a whole: the sign-in, or the console around one of its pages. */
import type { JSX } from "preact";
import { DialogArea } from "./parts/dialog.js";
import { ErrorBox, Loading } from "./parts/page.js";
import { ToastArea } from "./parts/toast.js";
import { SignInPage } from "./pages/sign-in.js";
import { SessionProvider, useSession } from "./session.js";
import { Shell } from "./shell/shell.js";

/** The whole page. */
export function Console(): JSX.Element {
  const { session, error, setSession } = useSession();
  if (error !== null) return <ErrorBox error={error} onRetry={() => location.reload()} />;
  if (session === undefined) return <Loading />;
  if (session === null) return <SignInPage onSignedIn={setSession} />;
  return (
    <SessionProvider session={session} setSession={setSession}>
      <Shell />
      <DialogArea />
      <ToastArea />
    </SessionProvider>
  );
}
