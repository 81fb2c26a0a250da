/** Measures the event loop lag while the largest image is read and captioned and another one is generated. */
import sharp from "sharp";
import { lagGaugeMs, lagRows, startLagProbe } from "../../world/lag.js";
import type { Target } from "../../world/client.js";
import { quantile, toRow, type Row } from "../../figures/table.js";
import { describeMs, generateImage } from "./ask.js";
import type { ImageModels } from "./models.js";

const rounds = 5;
const idleMs = 2000;
/** The largest number of pixels that is accepted. */
const [width, height] = [8000, 6250];
/** Incompressible noise makes the file nearly as large as the limit of bytes. */
const noiseSide = 1600;
const bytesMax = 10 * 1024 * 1024;

/** Returns the lag by the server's own gauge and as measured from outside. */
export async function measureImageLag(
  server: Target,
  { imageModel: painter }: ImageModels,
): Promise<readonly Row[]> {
  const files: Buffer[] = [];
  for (let round = 0; round < rounds; round += 1) files.push(await largestImage(round));
  const idle = await probed(server, () => new Promise((resolve) => setTimeout(resolve, idleMs)));
  await lagGaugeMs(server.url);
  const described: number[] = [];
  const busy = await probed(server, async () => {
    let isOver = false;
    const drawing = generateUntilOver(server, painter.id, () => isOver);
    for (const file of files) described.push(await describeMs(server, file));
    isOver = true;
    await drawing;
  });
  const gaugeMs = await lagGaugeMs(server.url);
  const megabytes = ((files[0]?.length ?? 0) / 1024 / 1024).toFixed(1);
  const figure = `describing ${width} x ${height} pixels in ${megabytes} MiB, while generating an image`;
  const longest = `${quantile(described, 0.5).toFixed(0)} ms (longest ${quantile(described, 1).toFixed(0)} ms)`;
  return [toRow(figure, longest), ...lagRows(idle, busy, gaugeMs)];
}

async function probed(server: Target, work: () => Promise<unknown>): Promise<readonly number[]> {
  const probe = startLagProbe(server.url);
  await work();
  return probe.stop();
}

async function generateUntilOver(server: Target, model: string, isOver: () => boolean): Promise<void> {
  for (let seed = 100; !isOver(); seed += 1) await generateImage(server, model, seed);
}

/**
 * Returns a PNG with the maximum number of pixels and nearly the maximum of bytes, different in each round.
 */
async function largestImage(round: number): Promise<Buffer> {
  const background = { r: 200, g: 40 * round, b: 40 };
  const mean = { type: "gaussian", mean: 128, sigma: 60 } as const;
  const noise = {
    create: { width: noiseSide, height: noiseSide, channels: 3, background, noise: mean },
  } as const;
  const file = await sharp({ create: { width, height, channels: 3, background } })
    .composite([{ input: noise, left: 0, top: 0 }])
    .png()
    .toBuffer();
  if (file.length > bytesMax)
    throw new Error(`an image of ${file.length} bytes is larger than the server accepts`);
  return file;
}
