/** What a compiled library adds to the engine's addon (engine-hooks.c): kept threads, addresses of contexts, aborts, copies and states of sequences. */
import type { LlamaContext } from "node-llama-cpp";
import { loadNativeLibrary, type NativeLibrary } from "./native-library.js";

/** The functions of the library. A context is named by its address. */
export interface EngineHooks {
  /** Says whether contexts keep their threads between two tokens from now on. */
  keepThreads(isKept: boolean): void;
  /** Returns the number of contexts whose threads are kept; -1 for an engine build that has no place for them. */
  countPools(): number;
  /** Returns the context whose number of threads this thread asked for last; 0n: it did not ask. */
  takeContext(): bigint;
  /** Lets libraries that are loaded later use the engine's functions. @returns whether the engine is loaded */
  shareEngine(): boolean;
  /**
   * Says how models are placed on devices from now on; without arguments, as the engine does it. One model is loaded at a time.
   * @param patterns lines: what of the names of tensors keeps them in main memory
   * @param mainGpu @param splitMode -1: as the engine does it; 0 none, 1 by layers, 2 by rows
   * @param shares of the GPUs, with commas; empty: as the engine does it
   */
  setPlacement(patterns?: string, mainGpu?: number, splitMode?: number, shares?: string): void;
  /** Prepares a context that no decode uses for `abortDecode`. @returns whether the engine can */
  allowAbort(context: bigint): boolean;
  /** 1: ends the running decode of the context and each later one; 0: it decodes again. */
  abortDecode(context: bigint, isAborted: 0 | 1): boolean;
  /** Gives an empty sequence of a context all cells of another one. @returns whether the engine can */
  copySequence(context: bigint, from: number, to: number): boolean;
  /** Returns the state of a sequence; undefined where the engine cannot give it. */
  readState(context: bigint, sequence: number): ArrayBuffer | undefined;
  /** Gives an empty sequence a state of the same model and kind of context. @returns whether it has it now */
  writeState(context: bigint, sequence: number, state: ArrayBuffer): boolean;
}

/** Loads the library, before the engine's own is loaded in this process. */
export function openEngineHooks(folder: string | null): NativeLibrary<EngineHooks> {
  return loadNativeLibrary<EngineHooks>({
    folder,
    file: "engine-hooks",
    exported: "takeContext",
    precedesEngine: true,
  });
}

/** Returns the address of a context of the engine's library; null where it is not known. */
export function findAddress(hooks: EngineHooks, context: LlamaContext): bigint | null {
  // The addon's own object, which is missing from the library's types: it asks llama.cpp, and the hook sees for which context.
  const { _ctx: native } = context as unknown as { readonly _ctx: { getThreads(): number } };
  native.getThreads();
  const address = hooks.takeContext();
  return address === 0n ? null : address;
}
