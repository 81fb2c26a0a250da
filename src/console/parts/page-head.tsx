import type { ComponentChildren, JSX } from "preact";

interface PageHeadProps {
  readonly title: string;
  /** What can be done on the page. */
  readonly children?: ComponentChildren;
}

/** The title of a page, with its actions beside it. */
export function PageHead({ title, children }: PageHeadProps): JSX.Element {
  return (
    <header class="page-head">
      <h1>{title}</h1>
      <div class="actions">{children}</div>
    </header>
  );
}
