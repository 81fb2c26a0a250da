/**
 * The loop that the three built-in models close: one draws what a sentence asks for, one describes the picture, the third tells
 * the user what it is told is in it. All of it over HTTP.
 */
import type OpenAI from "openai";
import { seeded } from "../../test/gguf-writer/weights.js";
import { nounOf } from "./likeness.js";
import { drawRequest } from "./world/requests.js";

const questions = [
  ...["What is in this picture?", "What does this image show?", "Describe the picture."],
  ...["What can you see here?", "Tell me what is in the image."],
];
const answerTokensMax = 100;

/** One way round: what was drawn, asked and answered, and which things the answer should have named and did not. */
export interface Round {
  readonly prompt: string;
  readonly question: string;
  readonly answer: string;
  readonly nouns: readonly string[];
  readonly lacks: readonly string[];
  readonly seconds: number;
}

export interface LoopModels {
  readonly painter: string;
  readonly chat: string;
}

/** Goes round with some requests, always the same ones. */
export async function goRound(client: OpenAI, models: LoopModels, count: number): Promise<readonly Round[]> {
  const chance = seeded(5);
  const rounds: Round[] = [];
  for (let seed = 0; seed < count; seed += 1) {
    const { prompt, things } = drawRequest(chance);
    const question = questions[seed % questions.length] ?? "";
    const began = performance.now();
    const answer = await toldOf(
      client,
      models.chat,
      question,
      await drawn(client, models.painter, prompt, seed),
    );
    const nouns = things.map(nounOf);
    const lacks = nouns.filter((noun) => !new RegExp(`\\b${noun}\\b`, "i").test(answer));
    rounds.push({ prompt, question, answer, nouns, lacks, seconds: (performance.now() - began) / 1000 });
  }
  return rounds;
}

/** What the painter makes of a prompt, as base64 of a PNG. */
export async function drawn(client: OpenAI, model: string, prompt: string, seed: number): Promise<string> {
  // The client's types know no seed.
  const body = { model, prompt, response_format: "b64_json", seed } as const;
  const [image] = (await client.images.generate(body)).data ?? [];
  return image?.b64_json ?? "";
}

async function toldOf(client: OpenAI, model: string, question: string, png: string): Promise<string> {
  const answer = await client.chat.completions.create({
    model,
    temperature: 0,
    max_completion_tokens: answerTokensMax,
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: question },
          { type: "image_url", image_url: { url: `data:image/png;base64,${png}` } },
        ],
      },
    ],
  });
  return answer.choices[0]?.message.content ?? "";
}
