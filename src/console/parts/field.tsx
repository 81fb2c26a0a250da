import type { ComponentChildren, InputHTMLAttributes, JSX } from "preact";
import { useId } from "preact/hooks";

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

interface ChoiceProps<Value extends string> {
  readonly label: string;
  readonly hint?: string;
  readonly value: Value;
  readonly onValue: (value: Value) => void;
  /** The empty value does not count as a choice. */
  readonly required?: boolean;
  readonly options: readonly (readonly [value: Value, text: string])[];
}

/** A field with a few values to choose from. */
export function Choice<Value extends string>({
  label,
  hint,
  value,
  onValue,
  required,
  options,
}: ChoiceProps<Value>): JSX.Element {
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
