/** Fields of forms, each with its label. */
import type { ComponentChildren, InputHTMLAttributes, JSX } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { setQuery, useLocation } from "../lib/location.js";

interface FieldProps {
  readonly label: string;
  readonly hint?: string;
  /** What is wrong with the value. */
  readonly problem?: string | null;
  readonly value: string;
  readonly onValue: (value: string) => void;
  readonly type?: "text" | "email" | "password" | "number" | "url" | "date" | "datetime-local";
  readonly autocomplete?: "username" | "current-password" | "new-password" | "off";
  readonly autofocus?: boolean;
  readonly required?: boolean;
  readonly min?: number;
  readonly max?: number;
  /** `any` allows decimals in a field of numbers. */
  readonly step?: number | "any";
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly placeholder?: string;
}

/** A field of one line, with its label and a hint. */
export function Field({ label, hint, problem = null, value, onValue, ...input }: FieldProps): JSX.Element {
  const id = useId();
  const description = problem ?? hint;
  return (
    <p class="field">
      <label for={id}>{label}</label>
      <input
        {...(input as InputHTMLAttributes<HTMLInputElement>)}
        id={id}
        value={value}
        aria-invalid={problem !== null || undefined}
        aria-describedby={description === undefined ? undefined : `${id}-hint`}
        onInput={(event) => onValue(event.currentTarget.value)}
      />
      {description !== undefined && (
        <small
          id={`${id}-hint`}
          class={problem === null ? "hint" : "problem"}
          role={problem === null ? undefined : "alert"}
        >
          {description}
        </small>
      )}
    </p>
  );
}

interface SelectProps<Value extends string> {
  readonly label: string;
  readonly hint?: string;
  readonly value: Value;
  readonly onValue: (value: Value) => void;
  /** The empty value does not count as a choice. */
  readonly required?: boolean;
  readonly options: readonly (readonly [value: Value, text: string])[];
}

/** A field with a few values to choose from. */
export function Select<Value extends string>({
  label,
  hint,
  value,
  onValue,
  required,
  options,
}: SelectProps<Value>): JSX.Element {
  const id = useId();
  return (
    <p class="field">
      <label for={id}>{label}</label>
      <select
        id={id}
        value={value}
        required={required}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        onChange={(event) => onValue(event.currentTarget.value as Value)}
      >
        {options.map(([option, text]) => (
          <option key={option} value={option}>
            {text}
          </option>
        ))}
      </select>
      {hint !== undefined && (
        <small id={`${id}-hint`} class="hint">
          {hint}
        </small>
      )}
    </p>
  );
}

interface CheckboxProps {
  readonly checked: boolean;
  readonly onChecked: (checked: boolean) => void;
  readonly children: ComponentChildren;
}

/** A box to tick, with its label beside it. */
export function Checkbox({ checked, onChecked, children }: CheckboxProps): JSX.Element {
  return (
    <label class="checkbox">
      <input type="checkbox" checked={checked} onChange={(event) => onChecked(event.currentTarget.checked)} />
      <span>{children}</span>
    </label>
  );
}

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

interface SwitchProps {
  /** What is on, for screen readers. */
  readonly label: string;
  readonly isOn: boolean;
  readonly onToggle: () => void;
}

/** A switch that says whether it is on. It changes when its owner changes `isOn`. */
export function Switch({ label, isOn, onToggle }: SwitchProps): JSX.Element {
  return (
    <button
      type="button"
      class="switch"
      role="switch"
      aria-checked={isOn}
      aria-label={label}
      onClick={onToggle}
    >
      <span class="switch-track" aria-hidden="true" />
      {isOn ? "On" : "Off"}
    </button>
  );
}

/** A pause in typing after which the search begins. */
const pauseMs = 250;

/** The search of a page, which the address has as `q`; `/` moves to it. */
export function SearchField({ label }: { readonly label: string }): JSX.Element {
  const value = useLocation().query.get("q") ?? "";
  const [text, setText] = useState(value);
  const searched = useRef(value);
  useEffect(() => {
    if (searched.current !== value) setText(value);
    searched.current = value;
  }, [value]);
  useEffect(() => {
    if (text === searched.current) return undefined;
    const timer = setTimeout(() => {
      searched.current = text;
      setQuery({ q: text });
    }, pauseMs);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <input
      type="search"
      aria-label={label}
      placeholder={`${label} ( / )`}
      value={text}
      onInput={(event) => setText(event.currentTarget.value)}
    />
  );
}

interface NewPasswordProps {
  readonly value: string;
  readonly onValue: (value: string) => void;
}

/** The field of a new password. */
export function NewPasswordField(props: NewPasswordProps): JSX.Element {
  return (
    <Field
      label="New password"
      hint="At least 10 characters."
      type="password"
      autocomplete="new-password"
      minLength={10}
      maxLength={256}
      required
      {...props}
    />
  );
}
