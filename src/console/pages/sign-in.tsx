/** The sign-in: by e-mail and password, or by a link that works once and sets the password. */
import { basePath } from "../lib/base-path.js";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { WireSession } from "../../http/console/present.js";
import type { SignInWays } from "../../http/console/sign-in.js";
import { send } from "../lib/client.js";
import { useGet } from "../lib/resource.js";
import { Field, NewPasswordField } from "../parts/field.js";
import { Form } from "../parts/form.js";
import { ErrorBox } from "../parts/page.js";

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
        <a class="button" href={basePath + provider.path}>
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

/** What the codes of `/console#error=` mean, with which a sign-in through the identity provider leads back. */
const sentences: Readonly<Record<string, string>> = {
  provider_unavailable:
    "The identity provider does not answer. Please try again later, or sign in with a password.",
  provider_refused: "The identity provider has refused the sign-in.",
  expired: "The sign-in took too long, or was begun elsewhere. Please try again.",
  sign_in_failed:
    "The answer of the identity provider could not be verified. Please ask the operator of this server.",
  email_missing:
    "The identity provider gives no e-mail address of yours. Please ask the operator of this server.",
  email_unverified: "The identity provider has not verified your e-mail address.",
  no_group: "You are in none of the groups that may sign in here. Please ask the operator of this server.",
  unknown_team: "The team of your group does not exist here. Please ask the operator of this server.",
  member_removed: "You have been removed from this server. Please ask its operator.",
  linked_otherwise:
    "Your e-mail address belongs to a member with another identity. Please ask the operator of this server.",
  last_owner:
    "Your groups would leave this server or a team without an owner. Please ask the operator of this server.",
  too_many_members: "This server has no place for another member.",
  team_blocked: "Your team is blocked. Please ask the operator of this server.",
  rate_limited: "Too many sign-ins have failed. Please try again later.",
};

/** Returns what to show for the part of the address after `#`; null if it is no error. */
function providerError(hash: string): Error | null {
  const [, code] = /^#error=(\w+)$/.exec(hash) ?? [];
  return code === undefined
    ? null
    : new Error(sentences[code] ?? "The sign-in did not succeed. Please try again.");
}
