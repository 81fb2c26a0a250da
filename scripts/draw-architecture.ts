/**
 * Draws the pictures of the guides, src/docs/pictures/*.svg: the path of a request and the directions of imports.
 * Run `npx tsx scripts/draw-architecture.ts`; `--dark` writes the dark colours as the default, for viewers without themes.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly title: string;
  readonly lines: readonly string[];
  readonly kind: "client" | "stage" | "store";
}

interface Arrow {
  readonly from: readonly [x: number, y: number];
  readonly to: readonly [x: number, y: number];
  readonly label?: string;
  /** Beside the middle of the arrow; `end` puts the label to its left. */
  readonly anchor?: "start" | "middle" | "end";
  readonly dashed?: true;
}

interface Picture {
  readonly width: number;
  readonly height: number;
  readonly title: string;
  readonly boxes: readonly Box[];
  readonly arrows: readonly Arrow[];
}

interface Colours {
  readonly ground: string;
  readonly text: string;
  readonly muted: string;
  readonly line: string;
  readonly client: string;
  readonly stage: string;
  readonly store: string;
}

const light: Colours = {
  ground: "#ffffff",
  text: "#1c2128",
  muted: "#57606a",
  line: "#8c959f",
  client: "#ddf4ff",
  stage: "#f6f8fa",
  store: "#fff1e5",
};

const dark: Colours = {
  ground: "#0d1117",
  text: "#e6edf3",
  muted: "#9ea7b3",
  line: "#6e7681",
  client: "#0c2d4a",
  stage: "#161b22",
  store: "#3d2513",
};

const folder = fileURLToPath(new URL("../src/docs/pictures/", import.meta.url));

function draw(picture: Picture, isDark: boolean): string {
  const { width, height, title, boxes, arrows } = picture;
  const colours = isDark ? dark : light;
  const size = `viewBox="0 0 ${width} ${height}" width="${width}" height="${height}"`;
  const font = `font-family="system-ui,-apple-system,'Segoe UI',Helvetica,Arial,sans-serif" font-size="13"`;
  const head = `<path class="head" fill="${colours.line}" d="M0 0L8 4L0 8z"/>`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" ${size} ${font} role="img" aria-label="${escape(title)}">`,
    `<title>${escape(title)}</title>`,
    `<style>@media (prefers-color-scheme:dark){${styles(dark)}}</style>`,
    `<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto">${head}</marker></defs>`,
    `<rect class="ground" fill="${colours.ground}" width="${width}" height="${height}" rx="8"/>`,
    ...arrows.map((arrow) => drawArrow(arrow, colours)),
    ...boxes.map((each) => drawBox(each, colours)),
    "</svg>\n",
  ].join("\n");
}

/** The colours of a theme as CSS, which wins over the attributes. */
function styles({ ground, text, muted, line, ...fills }: Colours): string {
  const kinds = Object.entries(fills).map(([kind, fill]) => `.${kind}{fill:${fill};stroke:${line}}`);
  return [
    `text{fill:${text}}`,
    `text.muted{fill:${muted}}`,
    `.ground{fill:${ground}}`,
    `.arrow{stroke:${line}}`,
    `.head{fill:${line}}`,
    ...kinds,
  ].join("");
}

function drawBox({ x, y, width, height, title, lines, kind }: Box, colours: Colours): string {
  const middle = x + width / 2;
  const top = y + (height - 18 * lines.length) / 2 + 5;
  const texts = lines.map(
    (line, index) =>
      `<text class="muted" fill="${colours.muted}" x="${middle}" y="${top + 18 * (index + 1)}" text-anchor="middle">${escape(line)}</text>`,
  );
  return [
    `<rect class="${kind}" fill="${colours[kind]}" stroke="${colours.line}" x="${x}" y="${y}" width="${width}" height="${height}" rx="6"/>`,
    `<text fill="${colours.text}" font-weight="600" font-size="14" x="${middle}" y="${top}" text-anchor="middle">${escape(title)}</text>`,
    ...texts,
  ].join("\n");
}

function drawArrow({ from, to, label, anchor = "middle", dashed }: Arrow, colours: Colours): string {
  const [x, y] = [(from[0] + to[0]) / 2, (from[1] + to[1]) / 2];
  const shift = { start: 8, middle: 0, end: -8 }[anchor];
  const dash = dashed === true ? ' stroke-dasharray="4 4"' : "";
  const line = `<path class="arrow" stroke="${colours.line}" stroke-width="1.5" d="M${from.join(" ")}L${to.join(" ")}" marker-end="url(#head)"${dash}/>`;
  if (label === undefined) return line;
  const lift = anchor === "middle" ? -7 : 4;
  return `${line}\n<text class="muted" fill="${colours.muted}" x="${x + shift}" y="${y + lift}" text-anchor="${anchor}">${escape(label)}</text>`;
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}

function box(kind: Box["kind"], at: readonly [number, number, number, number], ...words: string[]): Box {
  const [x, y, width, height] = at;
  const [title = "", ...lines] = words;
  return { kind, x, y, width, height, title, lines };
}

const requestPath: Picture = {
  width: 960,
  height: 400,
  title: "The path of a request through Hearth",
  boxes: [
    box("client", [20, 40, 130, 84], "Clients", "OpenAI, Anthropic,", "xAI, curl"),
    box("stage", [220, 40, 150, 84], "http/", "key, limits,", "one export a route"),
    box("stage", [450, 40, 170, 84], "answers/", "admit a request,", "deliver its answer"),
    box("stage", [720, 40, 220, 84], "inference/", "a run: reserve, take a slot,", "generate, settle"),
    box("stage", [20, 180, 130, 78], "accounts/", "who may, limits,", "money"),
    box("stage", [220, 180, 150, 66], "jobs/", "deferred, batches"),
    box("stage", [450, 180, 170, 78], "dialects/", "JSON to request,", "events to answer"),
    box("stage", [720, 180, 220, 66], "scheduler/", "who runs when"),
    box("store", [20, 302, 130, 78], "store/", "SQLite or", "PostgreSQL"),
    box("store", [450, 302, 170, 78], "models/", "GGUF and ONNX files,", "settings"),
    box("stage", [720, 302, 220, 78], "engine/", "llama.cpp, ONNX,", "other servers"),
  ],
  arrows: [
    { from: [150, 70], to: [220, 70], label: "request" },
    { from: [220, 104], to: [150, 104], label: "answer", dashed: true },
    { from: [370, 70], to: [450, 70] },
    { from: [450, 104], to: [370, 104], dashed: true },
    { from: [620, 70], to: [720, 70], label: "run" },
    { from: [720, 104], to: [620, 104], label: "events", dashed: true },
    { from: [520, 124], to: [520, 180] },
    { from: [550, 180], to: [550, 124], dashed: true },
    { from: [830, 124], to: [830, 180], label: "takes a slot", anchor: "start" },
    { from: [830, 246], to: [830, 302], label: "tokens", anchor: "start" },
    { from: [245, 124], to: [140, 180] },
    { from: [85, 258], to: [85, 302] },
    { from: [370, 195], to: [450, 118] },
    { from: [240, 246], to: [150, 318] },
    { from: [720, 341], to: [620, 341], label: "loads" },
  ],
};

const imports: Picture = {
  width: 960,
  height: 220,
  title: "The direction of imports: from left to right",
  boxes: [
    box("client", [16, 40, 84, 50], "main, cli"),
    box("stage", [122, 40, 84, 50], "app"),
    box("stage", [228, 40, 84, 50], "http"),
    box("stage", [334, 40, 84, 50], "jobs"),
    box("stage", [440, 40, 84, 50], "answers"),
    box("stage", [546, 40, 84, 50], "inference"),
    box("stage", [652, 40, 84, 50], "accounts"),
    box("store", [758, 40, 84, 50], "store"),
    box("store", [864, 40, 84, 50], "core"),
    box("stage", [334, 140, 84, 50], "dialects"),
    box("stage", [440, 140, 84, 50], "models"),
    box("stage", [546, 140, 84, 50], "network"),
    box("stage", [652, 140, 84, 50], "scheduler"),
    box("stage", [758, 140, 84, 50], "engine"),
    box("stage", [864, 140, 84, 50], "grammar", "template"),
  ],
  arrows: [
    ...[100, 206, 312, 418, 524, 630, 736, 842].map((x): Arrow => ({ from: [x, 65], to: [x + 22, 65] })),
    { from: [465, 90], to: [395, 140] },
    { from: [482, 90], to: [482, 140] },
    { from: [588, 90], to: [588, 140] },
    { from: [524, 165], to: [546, 165] },
    { from: [842, 165], to: [864, 165] },
    { from: [842, 140], to: [880, 92], dashed: true },
  ],
};

const isDark = process.argv.includes("--dark");
mkdirSync(folder, { recursive: true });
writeFileSync(`${folder}architecture.svg`, draw(requestPath, isDark));
writeFileSync(`${folder}imports.svg`, draw(imports, isDark));
