/** Opens the projector of a model, beside its context. */
import { basename } from "node:path";
import type { Model } from "../../../core/model.js";
import { openEngineHooks, type EngineHooks } from "../../native/engine-hooks.js";
import { openMediaLibrary } from "../../native/media.js";
import type { NativeLibrary } from "../../native/native-library.js";
import type { NativeContext } from "../../native/native-context.js";
import { Projector } from "./projector.js";

/** What reads media for the models of a process. */
export interface MediaSupport {
  readonly hooks: NativeLibrary<EngineHooks>;
  /** Where the compiled libraries are; null: the program does without. */
  readonly folder: string | null;
}

/** Call it before the engine's library is loaded in this process. */
export function openMediaSupport(folder: string | null): MediaSupport {
  return { hooks: openEngineHooks(folder), folder };
}

/** How a projector works for a context. */
interface ProjectorTerms {
  /** The context that it reads for. */
  readonly native: NativeContext | null;
  readonly threads: number;
  readonly onGpu: boolean;
  readonly batchTokensMax: number;
  /** Tokens of one image at most, for models that can choose. */
  readonly imageTokensMax: number;
}

interface ProjectorResult {
  readonly projector: Projector | null;
  /** A clause that says why there is none; null: it is open, or the model has none. */
  readonly problem: string | null;
}

/** Opens the projector of a model, if it has one. It never rejects: the model reads text without it. */
export async function openProjector(
  { hooks, folder }: MediaSupport,
  { load }: Model,
  { native, threads, onGpu, batchTokensMax, imageTokensMax }: ProjectorTerms,
): Promise<ProjectorResult> {
  const file = load?.projector;
  if (file === undefined) return { projector: null, problem: null };
  const without = (problem: string): ProjectorResult => ({ projector: null, problem });
  if (hooks.type === "absent") return without(`images and sound cannot be read here: ${hooks.reason}`);
  const media = openMediaLibrary(folder, hooks.exports);
  if (media.type === "absent") return without(`images and sound cannot be read here: ${media.reason}`);
  if (native === null) return without("images and sound cannot be read by this build of the engine");
  try {
    const opened = await media.exports.open(native.address, file.path, {
      threads,
      gpu: onGpu ? 1 : 0,
      imageTokensMax,
    });
    const projector = new Projector({
      library: media.exports,
      opened,
      context: native.address,
      batchTokensMax,
    });
    return { projector, problem: null };
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    return without(`its projector ${basename(file.path)} cannot be used: ${shorten(reason)}`);
  }
}

/** Removes the places in llama.cpp's source from a message, which say nothing to an operator. */
function shorten(reason: string): string {
  return reason
    .replaceAll(/\S+\.cpp:\d+: ?/g, "")
    .replaceAll(/\b(?:mtmd|clip)_\w+: (?:error: )?/g, "")
    .trim();
}
