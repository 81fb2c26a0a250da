/** Files of a repository, and the files among them that make up a model. */

/** A file of a repository. */
export interface HubFile {
  readonly path: string;
  readonly bytes: number;
  /** In hexadecimal digits; null for a small file, which the hub states none of. */
  readonly sha256: string | null;
}

/** A file to download. */
export interface ChosenFile extends HubFile {
  /** Relative to the folder of the repository, with `/`. */
  readonly to: string;
}

export interface FileChoice {
  readonly kind: "gguf" | "vision" | "image";
  /** In the order in which they are downloaded: the file that identifies the model is the last. */
  readonly files: readonly ChosenFile[];
}
