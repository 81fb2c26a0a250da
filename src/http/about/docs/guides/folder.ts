/** The folder of guides: Markdown files, pictures/ with their SVG files, and README.md, whose links give the order. */
import type { AppContext } from "../../../server/app-context.js";
import { existsSync, readdirSync, readFileSync } from "node:fs";

const ownFolder = new URL("../../../../docs/", import.meta.url);

export type GuidesFolder = ReturnType<typeof openGuidesFolder>;

const folders = new WeakMap<AppContext, GuidesFolder>();

/** Returns the guides of a server: the folder of its setting, else the folder of this program. */
export function guidesFolder(app: AppContext): GuidesFolder {
  const folder = folders.get(app) ?? openGuidesFolder(app.guidesFolder);
  folders.set(app, folder);
  return folder;
}

/** The guides of a folder, which is read when it is first needed. */
function openGuidesFolder(folder: URL = ownFolder) {
  let guides: ReadonlyMap<string, string> | null = null;
  let pictures: ReadonlyMap<string, string> | null = null;
  return {
    /** Markdown of each guide by its name, in the order in which the guides are shown. */
    guides: (): ReadonlyMap<string, string> => (guides ??= inOrder(readFiles(folder, ".md"))),
    /** SVG text of each picture by the name of its file. */
    pictures: (): ReadonlyMap<string, string> =>
      (pictures ??= new Map(readFiles(new URL("pictures/", folder), ".svg"))),
  };
}

function readFiles(folder: URL, ending: string): (readonly [file: string, text: string])[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((file) => file.endsWith(ending))
    .sort()
    .map((file) => [file, readFileSync(new URL(encodeURIComponent(file), folder), "utf8")] as const);
}

/** First the guides to which README.md links, then the others by name. */
function inOrder(files: readonly (readonly [file: string, text: string])[]): ReadonlyMap<string, string> {
  const texts = new Map(files);
  const index = texts.get("README.md") ?? "";
  texts.delete("README.md");
  const linked = [...index.matchAll(/\]\((?:\.\/)?([\w-]+\.md)/g)].flatMap(([, file = ""]) => file);
  const ordered = new Set([...linked, ...texts.keys()]);
  return new Map(
    [...ordered].flatMap((file) => {
      const text = texts.get(file);
      return text === undefined ? [] : [[file.slice(0, -".md".length), text] as const];
    }),
  );
}
