/** The ordinary clients: each streams one answer after the other, and their gaps between frames are measured. */
import { chat, readGaps } from "../world/client.js";
import { writeWords } from "../world/models.js";
import type { AttackScene } from "./scene.js";

const clients = 8;
const answerTokens = 200;
const promptWords = 60;

export interface Streamed {
  /** Milliseconds between the frames of one answer. */
  readonly gapsMs: readonly number[];
  readonly answers: number;
  /** What went wrong with each answer that did not come to its end. */
  readonly cut: readonly string[];
}

export interface Streams {
  /** Waits for the answers in flight. */
  stop(): Promise<Streamed>;
}

export function startStreams(scene: AttackScene): Streams {
  const gapsMs: number[] = [];
  const cut: string[] = [];
  let [answers, isOver] = [0, false];
  const client = async (index: number): Promise<void> => {
    for (let turn = 0; !isOver; turn += 1) {
      const content = writeWords(index * 1_000 + turn, promptWords);
      const asked = { model: scene.streamModel, content, maxTokens: answerTokens, stream: true } as const;
      answers += 1;
      try {
        const answer = await chat(scene, asked);
        if (!answer.whole) cut.push(`${answer.status} ${answer.body.slice(0, 200)}`);
        gapsMs.push(...readGaps(answer));
      } catch (thrown) {
        cut.push(String(thrown));
      }
    }
  };
  const all = Promise.all(Array.from({ length: clients }, (_, index) => client(index)));
  return {
    async stop() {
      isOver = true;
      await all;
      return { gapsMs, answers, cut };
    },
  };
}
