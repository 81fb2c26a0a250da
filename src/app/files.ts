/** The part of the composition root that builds the files of teams, and what puts files into prompts. */
import type { Config } from "../config/config.js";
import { createFileContents, type FileContents } from "../inference/files/contents.js";
import { createFiles, type Files, type FilesDeps } from "../inference/files/files.js";
import { createImageFetcher } from "../network/fetch.js";
import { readAllowedHosts } from "../network/hosts.js";
import { createPromptFiles, type PromptFiles, type PromptFilesDeps } from "../answers/files/prompt-files.js";
import { leftoversBefore, type NodeStore } from "../store/nodes.js";
import type { TracedDeps } from "./system-deps.js";
import { filesFolder } from "../store/data-folder.js";

/**
 * Builds the service over the folder of files, and removes from it what a process that died has left.
 * @param contents instead of those in the folder
 */
export async function buildFiles(
  config: Config,
  deps: Omit<FilesDeps, "contents" | "limits"> & { readonly nodes: NodeStore },
  contents: FileContents = createFileContents(filesFolder(config)),
): Promise<Files> {
  const files = createFiles({ ...deps, contents, limits: config });
  await files.removeLeftovers(leftoversBefore(deps.nodes, deps.clock.now()));
  return files;
}

/** Builds what puts files into prompts. @throws Error naming the invalid host in `imageFetch`. */
export function buildPromptFiles(
  { imageFetch }: Config,
  { clock, logger, tracing }: TracedDeps,
  deps: Omit<PromptFilesDeps, "fetcher" | "clock"> & {
    readonly fetcher: PromptFilesDeps["fetcher"] | undefined;
  },
): PromptFiles {
  const { files, pdfs } = deps;
  const fetcher =
    deps.fetcher ??
    createImageFetcher({
      clock,
      log: (message) => logger.warn({ engine: "files" }, message),
      allowedHosts: readAllowedHosts(imageFetch, "imageFetch"),
      fetches: "files",
      headers: () => tracing.headers(),
    });
  return createPromptFiles({ files, pdfs, fetcher, clock });
}
