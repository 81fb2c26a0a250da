/** The frame around every page: navigation, choice of the team, the member's menu, keyboard shortcuts. */
import type { ComponentType, JSX } from "preact";
import { useEffect, useState, useLayoutEffect, useRef } from "preact/hooks";
import { basePath } from "./lib/base-path.js";
import { useLocation, pageHref, navigate } from "./lib/location.js";
import { Dialog, openDialog, FormDialog } from "./parts/dialog.js";
import { Icon } from "./parts/icon.js";
import { useIsOperator, useRole, useSignedIn } from "./session.js";
import { pages, type PageEntry } from "./pages.js";
import { Empty, ErrorBox, Loading } from "./parts/page.js";
import type { WireSession } from "../http/console/present.js";
import { send } from "./lib/client.js";
import { Field, NewPasswordField } from "./parts/field.js";
import { showError } from "./parts/toast.js";
import { elapsed } from "./lib/clock.js";

/** The console with the page of the address. */
export function Shell(): JSX.Element {
  const { page: name } = useLocation();
  const roles = { member: true, admin: useRole("admin"), owner: useRole("owner") };
  const isOperator = useIsOperator();
  const open = pages.filter(
    ({ role = "member", isForOperator }) => roles[role] && (isOperator || isForOperator !== true),
  );
  const page = name === "" ? open[0] : open.find((each) => each.name === name);
  const [isMenuOpen, setMenuOpen] = useState(false);
  const help = (): void => openDialog(<ShortcutHelp pages={open} />);
  useShortcuts(open, help);
  useEffect(() => {
    document.title = page === undefined ? "Hearth" : `${page.title} · Hearth`;
    setMenuOpen(false);
  }, [page]);
  return (
    <div class="shell" data-menu={isMenuOpen ? "open" : "closed"}>
      <a class="skip" href="#content">
        Skip to content
      </a>
      <header class="top">
        <button
          type="button"
          class="menu-button"
          aria-expanded={isMenuOpen}
          aria-controls="navigation"
          onClick={() => setMenuOpen(!isMenuOpen)}
        >
          Menu
        </button>
        <a class="brand" href={pageHref("")}>
          Hearth
        </a>
        <TeamChoice />
        <MemberMenu onHelp={help} />
      </header>
      <Navigation pages={open} current={page} />
      <main id="content" tabIndex={-1}>
        {page === undefined ? <NoSuchPage /> : <LoadedPage key={page.name} page={page} />}
      </main>
    </div>
  );
}

function LoadedPage({ page }: { readonly page: PageEntry }): JSX.Element {
  const [loaded, setLoaded] = useState<{ readonly Page: ComponentType } | null>(null);
  const [error, setError] = useState<Error | null>(null);
  useEffect(() => {
    page.load().then(
      (Page) => setLoaded({ Page }),
      // The server has been updated, and the file of this page has another name now.
      () => setError(new Error("This page could not be loaded. Reload the console.")),
    );
  }, [page]);
  if (error !== null) return <ErrorBox error={error} onRetry={() => location.reload()} />;
  return loaded === null ? <Loading /> : <loaded.Page />;
}

function NoSuchPage(): JSX.Element {
  return (
    <Empty title="There is no such page">
      <p>The address may be wrong, or your role does not include this page.</p>
      <a class="button" href={pageHref("")}>
        Go to the first page
      </a>
    </Empty>
  );
}

/** Lists the keyboard shortcuts. */
function ShortcutHelp({ pages }: { readonly pages: readonly PageEntry[] }): JSX.Element {
  return (
    <Dialog title="Keyboard shortcuts">
      <dl class="shortcuts">
        <dt>
          <kbd>/</kbd>
        </dt>
        <dd>Search on this page</dd>
        <dt>
          <kbd>?</kbd>
        </dt>
        <dd>This list</dd>
        {pages.map(({ name, title, letter }) => [
          <dt key={`${name} keys`}>
            <kbd>g</kbd> <kbd>{letter}</kbd>
          </dt>,
          <dd key={name}>{title}</dd>,
        ])}
      </dl>
    </Dialog>
  );
}

/** The team that the pages show; a choice where the member sees several. */
function TeamChoice(): JSX.Element | null {
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

interface NavigationProps {
  readonly pages: readonly PageEntry[];
  readonly current: PageEntry | undefined;
}

/** Links to the pages. */
function Navigation({ pages, current }: NavigationProps): JSX.Element {
  return (
    <nav id="navigation" aria-label="Pages">
      <ul>
        {pages.map((page) => (
          <li key={page.name}>
            <a href={pageHref(page.name)} aria-current={page === current ? "page" : undefined}>
              <Icon name={page.icon} />
              {page.title}
            </a>
          </li>
        ))}
      </ul>
      <p class="outside">
        <a href={`${basePath}/docs`} target="_blank" rel="noreferrer">
          API reference
        </a>
      </p>
    </nav>
  );
}

/** Who is signed in, and what they can do about it. */
function MemberMenu({ onHelp }: { readonly onHelp: () => void }): JSX.Element {
  const { session, setSession } = useSignedIn();
  const end = (path: string) => () => void send("DELETE", path).then(() => setSession(null), showError);
  const { email, role } = session.member;
  return (
    <details class="member-menu">
      <summary aria-label={`Signed in as ${email}`}>
        <span aria-hidden="true">{email.slice(0, 1).toUpperCase()}</span>
      </summary>
      <div>
        <p>
          <strong>{email}</strong>
          <br />
          {role} of {session.teamName ?? "the whole server"}
        </p>
        <button type="button" onClick={() => openDialog(<PasswordDialog />)}>
          Change password
        </button>
        <button type="button" onClick={onHelp}>
          Keyboard shortcuts
        </button>
        <button type="button" onClick={end("/sessions")}>
          Sign out everywhere
        </button>
        <button type="button" onClick={end("/session")}>
          Sign out
        </button>
      </div>
    </details>
  );
}

/** Asks for the current password and a new one. */
function PasswordDialog(): JSX.Element {
  const { setSession } = useSignedIn();
  const [currentPassword, setCurrentPassword] = useState("");
  const [password, setNewPassword] = useState("");
  return (
    <FormDialog
      title="Change password"
      done="The password is changed. Your other sessions have ended."
      onSubmit={async () =>
        setSession(await send<WireSession>("PUT", "/password", { currentPassword, password }))
      }
    >
      <Field
        label="Current password"
        type="password"
        autocomplete="current-password"
        required
        value={currentPassword}
        onValue={setCurrentPassword}
      />
      <NewPasswordField value={password} onValue={setNewPassword} />
    </FormDialog>
  );
}

// Keyboard shortcuts: `/` moves to the search of the page, `g` and a letter opens a page, `?` lists them.

/** Within this time, a letter after `g` opens a page. */
const sequenceMs = 1500;

interface ShortcutPage {
  readonly name: string;
  readonly letter: string;
}

/** Reacts to the shortcuts, except while the member writes or a dialog is open. */
function useShortcuts(pages: readonly ShortcutPage[], onHelp: () => void): void {
  // It outlives renderings, which may come between the two keys.
  const prefixAt = useRef(-Infinity);
  // Before the page is shown, so that no key is missed.
  useLayoutEffect(() => {
    const react = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || isWriting(event.target)) return;
      const page =
        elapsed() - prefixAt.current < sequenceMs
          ? pages.find(({ letter }) => letter === event.key)
          : undefined;
      prefixAt.current = event.key === "g" ? elapsed() : -Infinity;
      if (page !== undefined) navigate(pageHref(page.name));
      else if (event.key === "/") focusSearch();
      else if (event.key === "?") onHelp();
      else return;
      event.preventDefault();
    };
    document.addEventListener("keydown", react);
    return () => document.removeEventListener("keydown", react);
  }, [pages, onHelp]);
}

function isWriting(target: EventTarget | null): boolean {
  const isField = target instanceof Element && target.matches("input, textarea, select, [contenteditable]");
  return isField || document.querySelector("dialog[open]") !== null;
}

function focusSearch(): void {
  document.querySelector<HTMLInputElement>("input[type=search]")?.focus();
}
