/** What the conformance run knows of one agent. Types only. */

/** A tool call of the model. */
export interface Call {
  readonly tool: string;
  readonly arguments: object;
}

/** Where and with what an agent runs. */
export interface AgentPlace {
  /** The folder of the installed package. */
  readonly package: string;
  /** The folder in which the agent works. */
  readonly work: string;
  /** The agent's home folder; empty at the start of a flow. */
  readonly home: string;
  /** The address of the server, without `/v1`. */
  readonly url: string;
  readonly key: string;
  readonly model: string;
}

/** A command line that sends one prompt. */
export interface Launch {
  readonly program: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export interface Agent {
  /** The npm package. */
  readonly name: string;
  readonly version: string;
  /** A script of the package that npm may not have run, to place its binary. */
  readonly setUp?: string;
  /** The tool by which the agent's own loop is recognized: requests without it, such as those for titles, get a short answer. */
  readonly mainTool: string;
  /** Writes what the agent reads before it starts: its configuration. */
  prepare(place: AgentPlace): void;
  /** @param resumes whether the prompt continues the latest session. */
  launch(place: AgentPlace, prompt: string, resumes: boolean): Launch;
  /** Whether a session can be continued in a new process. */
  readonly resumable: boolean;
  /** The calls by which a capable model replaces a text in a file. */
  edit(file: string, from: string, to: string): readonly Call[];
  /** The call by which it runs a command. */
  shell(command: string): Call;
}
