/** How long the event loop is held up while the largest image is read and described and another is drawn, at the same time. */
import sharp from "sharp";
import { lagGaugeMs, lagRows, startLagProbe } from "../load/lag.js";
import type { Target } from "../client.js";
import { quantile, type Row } from "../table.js";
import { describeMs, drawn } from "./ask.js";
import type { ImageModels } from "./models.js";

const rounds = 5;
const idleMs = 2000;
/** As many pixels as are read of an image. */
const [width, height] = [8000, 6250];
/** What cannot be packed makes a file of nearly as many bytes as are read. */
const noiseSide = 1600;
const bytesMax = 10 * 1024 * 1024;

/** The server's own gauge, and what it looks like from outside. */
export async function lagRowsOf(server: Target, { painter }: ImageModels): Promise<readonly Row[]> {
  const files: Buffer[] = [];
  for (let round = 0; round < rounds; round += 1) files.push(await largestImage(round));
  const idle = await probed(server, () => new Promise((resolve) => setTimeout(resolve, idleMs)));
  await lagGaugeMs(server.url);
  const described: number[] = [];
  const busy = await probed(server, async () => {
    let isOver = false;
    const drawing = drawAllTheWhile(server, painter.id, () => isOver);
    for (const file of files) described.push(await describeMs(server, file));
    isOver = true;
    await drawing;
  });
  const gaugeMs = await lagGaugeMs(server.url);
  const megabytes = ((files[0]?.length ?? 0) / 1024 / 1024).toFixed(1);
  const figure = `describing ${width} x ${height} pixels in ${megabytes} MiB, while drawing`;
  const longest = `${quantile(described, 0.5).toFixed(0)} ms (longest ${quantile(described, 1).toFixed(0)} ms)`;
  return [{ figure, value: longest, reach: "" }, ...lagRows(idle, busy, gaugeMs)];
}

async function probed(server: Target, work: () => Promise<unknown>): Promise<readonly number[]> {
  const probe = startLagProbe(server.url);
  await work();
  return probe.stop();
}

async function drawAllTheWhile(server: Target, model: string, isOver: () => boolean): Promise<void> {
  for (let seed = 100; !isOver(); seed += 1) await drawn(server, model, seed);
}

/** A PNG of as many pixels and nearly as many bytes as are read, another one each time. */
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
    throw new Error(`an image of ${file.length} bytes is larger than any that is read`);
  return file;
}
