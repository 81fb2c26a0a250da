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

interface EndpointAndModelFieldsProps {
  /** All names that there are. */
  readonly endpoints: readonly string[];
  readonly models: readonly string[];
  readonly chosen: EndpointsAndModels;
  readonly onChosen: (chosen: EndpointsAndModels) => void;
}

/** Chosen names; null: all. */
interface EndpointsAndModels {
  readonly endpoints: readonly string[] | null;
  readonly models: readonly string[] | null;
}

/** The choices of endpoints and of models. */
export function EndpointAndModelFields(props: EndpointAndModelFieldsProps): JSX.Element {
  const { endpoints, models, onChosen } = props;
  const chosen = { endpoints: props.chosen.endpoints, models: props.chosen.models };
  return (
    <>
      <AccessFields
        title="Endpoints"
        allText="All endpoints"
        names={endpoints}
        chosen={chosen.endpoints}
        onChosen={(names) => onChosen({ ...chosen, endpoints: names })}
      />
      <AccessFields
        title="Models"
        allText="All models"
        names={models}
        chosen={chosen.models}
        onChosen={(names) => onChosen({ ...chosen, models: names })}
      />
    </>
  );
}
