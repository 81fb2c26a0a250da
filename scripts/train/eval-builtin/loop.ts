/**
 * Runs the three built-in models in a loop over HTTP: one generates the image of a request, one captions it,
 * the chat model answers a question about it.
 */
import type OpenAI from "openai";
import { seeded } from "../../../test/kit/models/gguf-writer/weights.js";
import { nameNoun } from "./likeness.js";
import { drawRequest } from "./picture-requests.js";

const questions = [
  ...["What is in this picture?", "What does this image show?", "Describe the picture."],
  ...["What can you see here?", "Tell me what is in the image."],
];
const answerTokensMax = 100;

/** One round: the request, question and answer, and the things that the answer should have named. */
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

/** Runs the rounds for some requests, always the same ones. */
export async function goRound(client: OpenAI, models: LoopModels, count: number): Promise<readonly Round[]> {
  const chance = seeded(5);
  const rounds: Round[] = [];
  for (let seed = 0; seed < count; seed += 1) {
    const { prompt, things } = drawRequest(chance);
    const question = questions[seed % questions.length] ?? "";
    const began = performance.now();
    const answer = await askAbout(
      client,
      models.chat,
      question,
      await drawn(client, models.painter, prompt, seed),
    );
    const nouns = things.map(nameNoun);
    const lacks = nouns.filter((noun) => !new RegExp(`\\b${noun}\\b`, "i").test(answer));
    rounds.push({ prompt, question, answer, nouns, lacks, seconds: (performance.now() - began) / 1000 });
  }
  return rounds;
}

/** Generates an image for a prompt, as base64 of a PNG. */
export async function drawn(client: OpenAI, model: string, prompt: string, seed: number): Promise<string> {
  // The client's types have no seed.
  const body = { model, prompt, response_format: "b64_json", seed } as const;
  const [image] = (await client.images.generate(body)).data ?? [];
  return image?.b64_json ?? "";
}

async function askAbout(client: OpenAI, model: string, question: string, png: string): Promise<string> {
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
