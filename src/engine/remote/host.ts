/** The models of other servers, in the thread of text models: their vocabularies and templates, and their generations. */
import type { Llama } from "node-llama-cpp";
import type { Model } from "../../core/model.js";
import { loadInputReader, type InputReader } from "../language/inputs/input-reader.js";
import { describeLanguage } from "../language/language.js";
import { loadLanguage, type VocabularyLanguage } from "../language/load/load-language.js";
import type { TextModelInfo } from "../language/protocol.js";
import type { OpenRenderer } from "../language/renderer/renderer.js";
import { ResidentMap } from "../memory/resident-map.js";
import type { WorkerCall } from "../worker/host.js";
import type { CallNews } from "../worker/protocol.js";
import { createRemoteClient } from "./clients.js";
import { RemoteGeneration } from "./generation.js";
import type { RemoteReport, RemoteRequest } from "./protocol.js";

interface RemoteHostOptions {
  readonly openLibrary: () => Promise<Llama>;
  readonly openRenderer: OpenRenderer;
  /** Takes the events of generations, by the id of their call. */
  readonly reportNews: (news: readonly CallNews[]) => void;
}

export class RemoteHost {
  readonly #options: RemoteHostOptions;
  readonly #languages: ResidentMap<VocabularyLanguage>;
  readonly #inputReaders: ResidentMap<InputReader>;

  constructor(options: RemoteHostOptions) {
    this.#options = options;
    const { openLibrary, openRenderer } = options;
    this.#languages = new ResidentMap(async (model) =>
      loadLanguage(await openLibrary(), model, openRenderer),
    );
    this.#inputReaders = new ResidentMap(async (model) => loadInputReader(await openLibrary(), model));
  }

  /** The servers know how many slots they have, and the length of their vectors. */
  async load(model: Model): Promise<TextModelInfo> {
    const place = { slots: 0, device: "" };
    if (model.manifest.kind === "chat")
      return { ...describeLanguage(await this.#languages.load(model)), ...place };
    const { contextTokens } = await this.#inputReaders.load(model);
    return { ...place, contextTokens, dimensions: 0, templateRepairs: [], callsAreExact: true };
  }

  /** Returns null where no such chat model is loaded here. */
  findLanguage(key: string): VocabularyLanguage | null {
    return this.#languages.has(key) ? this.#languages.get(key) : null;
  }

  /** Returns null where no such embedding model is loaded here. */
  findInputs(key: string): InputReader | null {
    return this.#inputReaders.has(key) ? this.#inputReaders.get(key) : null;
  }

  generate({ key, decode, target }: RemoteRequest, { id, signal }: WorkerCall): Promise<RemoteReport> {
    const language = this.#languages.get(key);
    const { contextTokens } = language;
    const client = createRemoteClient(target.kind, language);
    const { reportNews } = this.#options;
    const deps = {
      language,
      contextTokens,
      client,
      emit: (news: CallNews["news"]) => reportNews([{ id, news }]),
    };
    return new RemoteGeneration(deps, decode, target).run(signal);
  }

  /** Unloads a model, if it is here. */
  async unload(key: string): Promise<void> {
    await this.#languages.take(key)?.dispose();
    await this.#inputReaders.take(key)?.dispose();
  }

  async close(): Promise<void> {
    await this.#languages.disposeAll();
    await this.#inputReaders.disposeAll();
  }
}
