/** The models that a team may use, for its members. */
import type { JSX } from "preact";
import type { WireTeamModels } from "../../../http/management/teams/models.js";
import { countText, dollarsText } from "../../lib/format.js";
import { ticksPerUsd } from "../../lib/money.js";
import { useGet } from "../../lib/resource.js";
import { Empty, PageHead } from "../../parts/page.js";
import { Table, type Column } from "../../parts/table.js";
import { useTeam } from "../../session.js";
import { Lines, NameCell } from "./columns.js";

/** The page. */
export function TeamModels(): JSX.Element {
  const { teamId } = useTeam();
  const models = useGet<WireTeamModels>(`/auth/teams/${teamId}/models`);
  return (
    <>
      <PageHead title="Models" />
      <Table
        label="Models"
        columns={columns}
        rows={{ ...models, value: models.value?.clusterConfigs.flatMap(listModels) ?? null }}
        getKey={({ id }) => id}
        empty={
          <Empty title="No models yet">
            <p>Ask the operator of this server to add one.</p>
          </Empty>
        }
      />
    </>
  );
}

/** Prices are USD per million tokens; of an image model, USD per image. */
interface TeamModel {
  readonly id: string;
  readonly kind: "chat" | "embedding" | "image";
  readonly aliases: readonly string[];
  /** null for an image model. */
  readonly contextTokens: number | null;
  readonly prices: readonly number[];
}

type Cluster = WireTeamModels["clusterConfigs"][number];

function listModels(cluster: Cluster): readonly TeamModel[] {
  return [
    ...cluster.languageModels.map((model) => ({
      ...textModel(model, "chat"),
      prices: [model.promptTextTokenPrice, model.completionTextTokenPrice].map(perMillion),
    })),
    ...cluster.embeddingModels.map((model) => ({
      ...textModel(model, "embedding"),
      prices: [perMillion(model.promptTextTokenPrice)],
    })),
    ...cluster.imageGenerationModels.map(({ name, aliases, imagePrice }) => ({
      id: name,
      kind: "image" as const,
      aliases,
      contextTokens: null,
      prices: [Number(imagePrice) / ticksPerUsd],
    })),
  ];
}

function textModel(model: Cluster["languageModels" | "embeddingModels"][number], kind: TeamModel["kind"]) {
  return { id: model.name, kind, aliases: model.aliases, contextTokens: model.maxPromptLength };
}

/** @param ticks for one token */
function perMillion(ticks: string): number {
  return (Number(ticks) * 1e6) / ticksPerUsd;
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
