/** The frame around every page: navigation, choice of the team, the member's menu, keyboard shortcuts. */
import { basePath } from "../lib/base-path.js";
import type { ComponentType, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { useLocation, pageHref } from "../lib/location.js";
import { Dialog, openDialog } from "../parts/dialog.js";
import { Icon } from "../parts/icon.js";
import { useIsOperator, useRole, useSignedIn } from "../session.js";
import { useShortcuts } from "../lib/shortcuts.js";
import { pages, type PageEntry } from "../pages.js";
import { Empty, ErrorBox, Loading } from "../parts/page.js";
import { MemberMenu } from "./member-menu.js";

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
