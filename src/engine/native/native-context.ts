/** What a compiled library does to a context of the engine that the engine's own addon does not offer (engine-hooks.c). */
import type { LlamaContext, LlamaContextSequence, Token } from "node-llama-cpp";
import { findAddress, type EngineHooks } from "./engine-hooks.js";
import type { NativeLibrary } from "./native-library.js";

/** The tokens of a sequence, its number and the addon's context, which the library does not publish. */
export interface NativeSequence {
  _contextTokens: Token[];
  _nextTokenIndex: number;
  readonly _sequenceId: number;
  readonly context: {
    readonly _ctx: { removeTokenCellsFromSequence(sequence: number, start: number, end: number): boolean };
  };
}

export class NativeContext {
  readonly #hooks: EngineHooks;
  readonly address: bigint;
  readonly #canAbort: boolean;

  private constructor(hooks: EngineHooks, address: bigint) {
    this.#hooks = hooks;
    this.address = address;
    this.#canAbort = hooks.allowAbort(address);
  }

  /** Call it before the context decodes. @returns null where there is no such library */
  static find(hooks: NativeLibrary<EngineHooks>, context: LlamaContext): NativeContext | null {
    if (hooks.type === "absent") return null;
    const address = findAddress(hooks.exports, context);
    return address === null ? null : new NativeContext(hooks.exports, address);
  }

  /** Whether a running decode can be ended. llama.cpp looks at it on CPUs only. */
  get canAbort(): boolean {
    return this.#canAbort;
  }

  /** Ends the running decode: its call rejects, and its sequences are as before. */
  abortDecode(): void {
    this.#hooks.abortDecode(this.address, 1);
  }

  /** Lets the context decode again. */
  endAbort(): void {
    this.#hooks.abortDecode(this.address, 0);
  }

  /**
   * Gives an empty sequence everything that another one holds, in a fraction of a millisecond. No decode may be running, and the state
   * must be one that can be truncated.
   */
  copySequence(from: LlamaContextSequence, to: LlamaContextSequence): void {
    const [source, target] = [from, to] as unknown as readonly [NativeSequence, NativeSequence];
    this.#hooks.copySequence(this.address, source._sequenceId, target._sequenceId);
    target._contextTokens = [...source._contextTokens];
    target._nextTokenIndex = source._nextTokenIndex;
  }

  /** Returns the state of a sequence; null where the engine cannot give it. No decode may be running. */
  readState(sequence: LlamaContextSequence): ArrayBuffer | null {
    const { _sequenceId } = sequence as unknown as NativeSequence;
    return this.#hooks.readState(this.address, _sequenceId) ?? null;
  }

  /**
   * Gives an empty sequence a state that `readState` returned for these tokens. No decode may be running.
   * @returns false: the sequence must be cleared
   */
  writeState(sequence: LlamaContextSequence, state: ArrayBuffer, tokens: Uint32Array): boolean {
    const target = sequence as unknown as NativeSequence;
    if (!this.#hooks.writeState(this.address, target._sequenceId, state)) return false;
    target._contextTokens = Array.from(tokens) as Token[];
    target._nextTokenIndex = tokens.length;
    return true;
  }
}
