/** The console: starts the program of the page, which shows the sign-in, or the console around one of its pages. */
import { render, type JSX } from "preact";
import { followLinks } from "./lib/location.js";
import { DialogArea } from "./parts/dialog.js";
import { ErrorBox, Loading } from "./parts/page.js";
import { ToastArea } from "./parts/toast.js";
import { SignInPage } from "./pages/sign-in.js";
import { SessionProvider, useSession } from "./session.js";
import { Shell } from "./shell.js";
import "./styles/main.css";

/** The whole page. */
function Console(): JSX.Element {
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

const root = document.getElementById("console");
if (root !== null) {
  followLinks();
  render(<Console />, root);
}
