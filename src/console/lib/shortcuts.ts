/** Keyboard shortcuts: `/` moves to the search of the page, `g` and a letter opens a page, `?` lists them. */
import { useLayoutEffect, useRef } from "preact/hooks";
import { elapsed } from "./clock.js";
import { navigate, pageHref } from "./location.js";

/** Within this time, a letter after `g` opens a page. */
const sequenceMs = 1500;

interface ShortcutPage {
  readonly name: string;
  readonly letter: string;
}

/** Reacts to the shortcuts, except while the member writes or a dialog is open. */
export function useShortcuts(pages: readonly ShortcutPage[], onHelp: () => void): void {
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
