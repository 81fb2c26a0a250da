import type { ComponentChildren, JSX } from "preact";

interface EmptyProps {
  readonly title: string;
  /** What to do next. */
  readonly children?: ComponentChildren;
}

/** Stands where a list has nothing, and says what to do next. */
export function Empty({ title, children }: EmptyProps): JSX.Element {
  return (
    <div class="empty">
      <h2>{title}</h2>
      {children}
    </div>
  );
}
