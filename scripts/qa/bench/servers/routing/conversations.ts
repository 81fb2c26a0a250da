/** Conversations as a company's servers have them: many teams, a few of them busy, with applications that begin all of theirs alike. */
import { chooseByRank } from "../../../figures/zipf.js";
import { seeded } from "../../../../../test/kit/models/gguf-writer/weights.js";

/** A request: the whole conversation so far, and the answer to come. */
export interface Turn {
  readonly team: string;
  /** Numbers of the prompt's blocks of tokens; equal beginnings have equal numbers. */
  readonly blocks: readonly number[];
  readonly answerTokens: number;
}

export interface PlannedConversation {
  readonly startsAtMs: number;
  readonly turns: readonly Turn[];
  /** Before each turn but the first: how long the person reads and writes. */
  readonly thinkMs: readonly number[];
}

export const blockTokens = 16;
const teamsCount = 100;
const appsPerTeam = 2;

/** @param perSecond conversations that begin in a second */
export function planConversations(
  count: number,
  perSecond: number,
  seed: number,
): readonly PlannedConversation[] {
  const unit = seeded(seed);
  const exponential = (mean: number): number => -mean * Math.log(1 - unit());
  const between = (least: number, most: number): number => least + Math.floor(unit() * (most - least));
  const team = chooseByRank(teamsCount);
  let nextBlock = 0;
  const drawBlocks = (tokens: number): number[] =>
    Array.from({ length: Math.ceil(tokens / blockTokens) }, () => nextBlock++);
  const beginnings = Array.from({ length: teamsCount * appsPerTeam }, () => drawBlocks(between(100, 3_000)));
  let at = 0;
  return Array.from({ length: count }, () => {
    at += exponential(1_000 / perSecond);
    const teamIndex = team(unit());
    const app = teamIndex * appsPerTeam + between(0, appsPerTeam);
    const length = 1 + Math.floor(exponential(4));
    const blocks = [...(beginnings[app] ?? [])];
    const turns: Turn[] = [];
    for (let turn = 0; turn < length; turn += 1) {
      blocks.push(...drawBlocks(between(20, 600)));
      const answerTokens = between(50, 500);
      turns.push({ team: `team ${teamIndex}`, blocks: [...blocks], answerTokens });
      blocks.push(...drawBlocks(answerTokens));
    }
    const thinkMs = turns.map(() => 2_000 + exponential(20_000));
    return { startsAtMs: at, turns, thinkMs };
  });
}
