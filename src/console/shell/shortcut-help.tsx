import type { JSX } from "preact";
import type { PageEntry } from "../pages.js";
import { Dialog } from "../parts/dialog.js";

interface ShortcutHelpProps {
  readonly pages: readonly PageEntry[];
  readonly onClose: () => void;
}

/** Lists the keyboard shortcuts. */
export function ShortcutHelp({ pages, onClose }: ShortcutHelpProps): JSX.Element {
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
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
