import type { JSX } from "preact";
import { listTeamModels, type TeamModel } from "../../api/models.js";
import { countText, dollarsText } from "../../lib/format.js";
import { useResource } from "../../lib/resource.js";
import { useTeam } from "../../session.js";
import { Empty } from "../../parts/empty.js";
import { PageHead } from "../../parts/page-head.js";
import { Table, type Column } from "../../parts/table.js";
import { Lines, NameCell } from "./columns.js";

/** The models that a team may use, for its members. */
export function TeamModels(): JSX.Element {
  const { teamId } = useTeam();
  const models = useResource((signal) => listTeamModels(teamId, signal), [teamId]);
  return (
    <>
      <PageHead title="Models" />
      <Table
        label="Models"
        columns={columns}
        rows={models}
        keyOf={({ id }) => id}
        empty={
          <Empty title="No models yet">
            <p>Ask the operator of this server to add one.</p>
          </Empty>
        }
      />
    </>
  );
}

const columns: readonly Column<TeamModel>[] = [
  { title: "Model", cell: (model) => <NameCell {...model} /> },
  { title: "Kind", cell: ({ kind }) => kind },
  {
    title: "Context",
    kind: "number",
    cell: ({ contextTokens }) => (contextTokens === null ? "–" : countText(contextTokens)),
  },
  { title: "Price", cell: (model) => <Price {...model} /> },
];

function Price({ kind, prices: [first = 0, answer] }: TeamModel): JSX.Element {
  if (first === 0 && (answer ?? 0) === 0) return <>free</>;
  if (kind === "image") return <>{dollarsText(first)} an image</>;
  const texts = [
    `${dollarsText(first)} prompt`,
    ...(answer === undefined ? [] : [`${dollarsText(answer)} answer`]),
  ];
  return <Lines first={texts.join(", ")} second="per million tokens" />;
}
