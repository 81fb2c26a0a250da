/** What attackers know of the server. */
export interface AttackTarget {
  readonly url: string;
  /** An API key of the first team. */
  readonly key: string;
  readonly managementKey: string;
  readonly teamId: string;
  readonly builtInModel: string;
  readonly smallModels: readonly string[];
  readonly hostileModels: readonly string[];
  /** A model on an engine that does not answer when it is asked to tokenize. */
  readonly silentModel: string;
}
