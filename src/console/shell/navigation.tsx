import type { JSX } from "preact";
import { pageHref } from "../lib/location.js";
import type { PageEntry } from "../pages.js";
import { Icon } from "../parts/icon.js";

interface NavigationProps {
  readonly pages: readonly PageEntry[];
  readonly current: PageEntry | undefined;
}

/** Links to the pages. */
export function Navigation({ pages, current }: NavigationProps): JSX.Element {
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
        <a href="/docs" target="_blank" rel="noreferrer">
          API reference
        </a>
      </p>
    </nav>
  );
}
