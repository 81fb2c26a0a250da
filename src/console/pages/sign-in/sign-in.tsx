/** The sign-in: by e-mail and password, or by a link that works once and sets the password. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { WireSession } from "../../../http/console/present.js";
import type { SignInWays } from "../../../http/console/sign-in.js";
import { send } from "../../lib/client.js";
import { useGet } from "../../lib/resource.js";
import { Field } from "../../parts/field.js";
import { Form } from "../../parts/form.js";
import { ErrorBox } from "../../parts/page.js";
import { NewPasswordField } from "../../parts/password-field.js";
import { providerError } from "./provider-errors.js";

interface SignInPageProps {
  readonly onSignedIn: (session: WireSession) => void;
}

/** The whole page while nobody is signed in. */
export function SignInPage({ onSignedIn }: SignInPageProps): JSX.Element {
  const [link, setLink] = useState(() => readLink(location.hash));
  return (
    <main class="sign-in">
      <h1>Hearth</h1>
      {link === null ? (
        <PasswordSignIn onSignedIn={onSignedIn} />
      ) : (
        <LinkSignIn link={link} onSignedIn={onSignedIn} onCancel={() => setLink(null)} />
      )}
    </main>
  );
}

function PasswordSignIn({ onSignedIn }: SignInPageProps): JSX.Element {
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const ways = useGet<SignInWays>("/sign-in");
  const [failed] = useState(() => providerError(location.hash));
  const provider = ways.value?.oidc;
  return (
    <>
      {failed !== null && <ErrorBox error={failed} />}
      {provider !== undefined && (
        <a class="button" href={provider.path}>
          Sign in with {provider.name}
        </a>
      )}
      <Form
        action="Sign in"
        onSubmit={async () => onSignedIn(await send("POST", "/sign-in", { email, password }))}
      >
        <Field
          label="E-mail"
          type="email"
          autocomplete="username"
          required
          autofocus
          value={email}
          onValue={setEmail}
        />
        <Field
          label="Password"
          type="password"
          autocomplete="current-password"
          required
          value={password}
          onValue={setPassword}
        />
        <p class="hint">
          No password yet, or forgotten? The operator of this server makes a link:{" "}
          <code>hearth members sign-in-link</code> or <code>reset</code>.
        </p>
      </Form>
    </>
  );
}

interface LinkSignInProps extends SignInPageProps {
  readonly link: string;
  readonly onCancel: () => void;
}

function LinkSignIn({ link, onSignedIn, onCancel }: LinkSignInProps): JSX.Element {
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const enter = async (): Promise<void> => {
    const session = await send<WireSession>("POST", "/sign-in", {
      link,
      password,
      email: email || undefined,
    });
    // The link is used up: it has no place in the history of the browser.
    history.replaceState(null, "", "/console");
    onSignedIn(session);
  };
  return (
    <Form action="Set password and sign in" onSubmit={enter} onCancel={onCancel}>
      <p>
        This link works once. Choose the password with which you will sign in from now on. Only the first
        owner of the server gives an e-mail, too.
      </p>
      <Field
        label="E-mail (first owner only)"
        type="email"
        autocomplete="username"
        value={email}
        onValue={setEmail}
      />
      <NewPasswordField value={password} onValue={setPassword} />
    </Form>
  );
}

/** Returns the secret in `#link=...`. What follows `#` is never sent to the server, so it is in no log. */
function readLink(hash: string): string | null {
  return /^#link=([\w-]+)$/.exec(hash)?.[1] ?? null;
}
