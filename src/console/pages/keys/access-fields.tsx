import type { JSX } from "preact";
import type { WireAccessGroup } from "../../../http/management/access-groups.js";
import type { WireEndpoints } from "../../../http/management/teams/endpoints.js";
import { listKeyModels, listModelIds } from "../../api/models.js";
import { useGet, useList, useResource } from "../../lib/resource.js";
import { Checkbox } from "../../parts/field.js";
import type { Access } from "./describe.js";

interface NameChoiceProps {
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
function NameChoice({ title, allText, names, chosen, onChosen }: NameChoiceProps): JSX.Element {
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

interface AccessChoicesProps {
  readonly teamId: string;
  /** Offers everything that the server has, not only what the team allows. */
  readonly isOfServer?: boolean;
  readonly access: Access;
  readonly onAccess: (access: Access) => void;
  /** The title of the choice of access groups; absent: there is none. */
  readonly groupsTitle?: string;
}

/** The choices of endpoints, models and access groups. */
export function AccessChoices(props: AccessChoicesProps): JSX.Element {
  const { teamId, isOfServer = false, access, onAccess, groupsTitle } = props;
  const all = isOfServer ? true : undefined;
  const endpoints = useGet<WireEndpoints>(`/auth/teams/${teamId}/endpoints`, { all });
  const models = useResource(
    (signal) => (isOfServer ? listModelIds(signal) : listKeyModels(teamId, signal)),
    [teamId, isOfServer],
  );
  const groups = useList<WireAccessGroup>("/auth/access-groups", "accessGroups");
  const groupNames = (groups.value ?? []).map(({ name }) => name);
  return (
    <>
      <NameChoice
        title="Endpoints"
        allText="All endpoints"
        names={(endpoints.value?.acls ?? []).map(({ value }) => value)}
        chosen={access.endpoints}
        onChosen={(names) => onAccess({ ...access, endpoints: names })}
      />
      <NameChoice
        title="Models"
        allText="All models"
        names={models.value ?? []}
        chosen={access.models}
        onChosen={(names) => onAccess({ ...access, models: names })}
      />
      {groupsTitle !== undefined && groupNames.length + access.groups.length > 0 && (
        <NameChoice
          title={groupsTitle}
          names={groupNames}
          chosen={access.groups}
          onChosen={(names) => onAccess({ ...access, groups: names ?? [] })}
        />
      )}
    </>
  );
}
