/** One request to each kind of built-in model. */
import type OpenAI from "openai";
import sharp from "sharp";
import { builtInModel } from "./settings.js";

/** Requests each kind of model once: what a request with an image is answered, an embedding and a drawing. */
export async function answerEveryKind(client: OpenAI) {
  const image = await sharp({ create: { width: 32, height: 32, channels: 3, background: "red" } })
    .png()
    .toBuffer();
  const url = `data:image/png;base64,${image.toString("base64")}`;
  const chat = await client.chat.completions.create({
    model: builtInModel,
    messages: [
      {
        role: "user",
        content: [
          { type: "image_url", image_url: { url } },
          { type: "text", text: "What is it?" },
        ],
      },
    ],
  });
  const embeddings = await client.embeddings.create({ model: "hearth-embed-1m", input: ["one", "two"] });
  const drawing = await client.images.generate({ prompt: "a red circle", response_format: "b64_json" });
  return {
    text: (chat.choices[0]?.message.content ?? "") !== "",
    embedding: embeddings.data.length,
    image: (drawing.data?.[0]?.b64_json ?? "") !== "",
  };
}
