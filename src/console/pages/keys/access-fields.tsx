import type { JSX } from "preact";
import { Checkbox } from "../../parts/field.js";

interface AccessFieldsProps {
  readonly title: string;
  /** The text of the box for all of them; absent: there is none. */
  readonly allText?: string;
  /** All names that there are. */
  readonly names: readonly string[];
  /** The chosen names; null: all. */
  readonly chosen: readonly string[] | null;
  readonly onChosen: (chosen: readonly string[] | null) => void;
}

/** A choice of what a key may use: everything, or the ticked names. A name that no longer exists can be taken away. */
export function AccessFields({ title, allText, names, chosen, onChosen }: AccessFieldsProps): JSX.Element {
  const offered = [...new Set([...names, ...(chosen ?? [])])].toSorted();
  const toggle = (name: string, isChosen: boolean): void =>
    onChosen(isChosen ? [...(chosen ?? []), name] : (chosen ?? []).filter((each) => each !== name));
  return (
    <fieldset>
      <legend>{title}</legend>
      {allText !== undefined && (
        <Checkbox checked={chosen === null} onChecked={(isAll) => onChosen(isAll ? null : [])}>
          {allText}
        </Checkbox>
      )}
      {chosen !== null && (
        <div class="choices">
          {offered.map((name) => (
            <Checkbox
              key={name}
              checked={chosen.includes(name)}
              onChecked={(isChosen) => toggle(name, isChosen)}
            >
              <code>{name}</code>
            </Checkbox>
          ))}
        </div>
      )}
    </fieldset>
  );
}
