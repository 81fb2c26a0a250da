import type { JSX } from "preact";
import { useId } from "preact/hooks";

interface TextAreaProps {
  readonly label: string;
  readonly hint?: string;
  /** What is wrong with the text. */
  readonly problem?: string | null;
  readonly value: string;
  readonly onValue: (value: string) => void;
  readonly rows?: number;
  readonly placeholder?: string;
  /** Whether the text is for programs, such as JSON. */
  readonly isCode?: boolean;
}

/** A field of several lines, with its label, a hint, and what is wrong with its text. */
export function TextArea({
  label,
  hint,
  problem = null,
  value,
  onValue,
  isCode = false,
  ...area
}: TextAreaProps): JSX.Element {
  const id = useId();
  return (
    <p class="field">
      <label for={id}>{label}</label>
      <textarea
        {...area}
        id={id}
        class={isCode ? "source" : undefined}
        spellcheck={!isCode}
        value={value}
        aria-invalid={problem !== null}
        aria-describedby={`${id}-hint`}
        onInput={(event) => onValue(event.currentTarget.value)}
      />
      <small id={`${id}-hint`} class={problem === null ? "hint" : "problem"}>
        {problem ?? hint}
      </small>
    </p>
  );
}
