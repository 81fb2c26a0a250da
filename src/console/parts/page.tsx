/** What pages are made of: their head, their sections, and what stands where there is nothing to show yet. */
import type { ComponentChildren, JSX } from "preact";
import { ApiError } from "../lib/client.js";
import type { Resource } from "../lib/resource.js";

interface HeadProps {
  readonly title: string;
  /** What can be done on the page. */
  readonly children?: ComponentChildren;
}

/** The title of a page, with its actions beside it. */
export function PageHead({ title, children }: HeadProps): JSX.Element {
  return (
    <header class="page-head">
      <h1>{title}</h1>
      <div class="actions">{children}</div>
    </header>
  );
}

interface SectionProps {
  /** Differs between the sections of a page. */
  readonly id: string;
  readonly title: string;
  /** Stands beside the title. */
  readonly aside?: ComponentChildren;
  readonly isPanel?: boolean;
  readonly children: ComponentChildren;
}

/** A part of a page with a title. */
export function Section({ id, title, aside, isPanel = false, children }: SectionProps): JSX.Element {
  return (
    <section class={isPanel ? "panel" : "part"} aria-labelledby={id}>
      <header class="page-head">
        <h2 id={id}>{title}</h2>
        {aside}
      </header>
      {children}
    </section>
  );
}

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

/** Shown while something is loaded; visible only if that takes long. */
export function Loading(): JSX.Element {
  return (
    <p class="loading" role="status">
      Loading …
    </p>
  );
}

interface ErrorBoxProps {
  readonly error: Error;
  readonly onRetry?: () => void;
}

/** Says what happened, in the words of the server, and offers to try again where that can help. */
export function ErrorBox({ error, onRetry }: ErrorBoxProps): JSX.Element {
  const isDenied = error instanceof ApiError && error.status === 403;
  return (
    <div class="error-box" role="alert">
      <p>{error.message}</p>
      {onRetry !== undefined && !isDenied && (
        <button type="button" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  );
}

interface LoadedProps<Value> {
  readonly from: Resource<Value>;
  readonly children: (value: Value) => ComponentChildren;
}

/** Shows what was loaded. After a load that failed, it says so above the value that was loaded before. */
export function Loaded<Value>({ from, children }: LoadedProps<Value>): JSX.Element {
  const { value, error, reload } = from;
  return (
    <>
      {error !== null && <ErrorBox error={error} onRetry={reload} />}
      {value === null && error === null && <Loading />}
      {value !== null && children(value)}
    </>
  );
}
