/** The frame around every page: navigation, choice of the team, the member's menu, keyboard shortcuts. */
import type { ComponentType, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { useLocation } from "../lib/location.js";
import { useIsOperator, useRole } from "../session.js";
import { useShortcuts } from "../lib/shortcuts.js";
import { pages, type PageEntry } from "../pages.js";
import { Empty } from "../parts/empty.js";
import { ErrorBox } from "../parts/error-box.js";
import { Loading } from "../parts/loading.js";
import { MemberMenu } from "./member-menu.js";
import { Navigation } from "./navigation.js";
import { ShortcutHelp } from "./shortcut-help.js";
import { TeamChoice } from "./team-choice.js";

/** The console with the page of the address. */
export function Shell(): JSX.Element {
  const { page: name } = useLocation();
  const roles = { member: true, admin: useRole("admin"), owner: useRole("owner") };
  const isOperator = useIsOperator();
  const open = pages.filter(
    ({ role, isForOperator }) => roles[role] && (isOperator || isForOperator !== true),
  );
  const page = name === "" ? open[0] : open.find((each) => each.name === name);
  const [isMenuOpen, setMenuOpen] = useState(false);
  const [isHelpOpen, setHelpOpen] = useState(false);
  useShortcuts(open, () => setHelpOpen(true));
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
        <a class="brand" href="/console">
          Hearth
        </a>
        <TeamChoice />
        <MemberMenu onHelp={() => setHelpOpen(true)} />
      </header>
      <Navigation pages={open} current={page} />
      <main id="content" tabIndex={-1}>
        {page === undefined ? <NoSuchPage /> : <LoadedPage key={page.name} page={page} />}
      </main>
      {isHelpOpen && <ShortcutHelp pages={open} onClose={() => setHelpOpen(false)} />}
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
      <a class="button" href="/console">
        Go to the first page
      </a>
    </Empty>
  );
}
