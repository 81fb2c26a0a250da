import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { WireLanguageModels } from "../../../../http/inference/models/language-models.js";
import { useList } from "../../../lib/resource.js";
import { useStore } from "../../../lib/store.js";
import { openDialog } from "../../../parts/dialog.js";
import { Empty, Loaded } from "../../../parts/page.js";
import { CodeDialog } from "../code/code-dialog.js";
import { attach, findDeafness, findHearing } from "./attach.js";
import { Composer } from "./composer.js";
import { clear, conversation, isRunning, setSettings, stop } from "../conversation.js";
import { schemaProblem, toolsProblem, type Settings } from "../request.js";
import { SettingsPanel } from "./settings-panel.js";
import { Thread } from "./thread.js";

type LanguageModel = WireLanguageModels["models"][number];

/** A conversation with a model. */
export function Chat(): JSX.Element {
  const models = useList<LanguageModel>("/v1/language-models", "models");
  return (
    <Loaded from={models}>{(all) => (all.length === 0 ? <NoModels /> : <ChatWith models={all} />)}</Loaded>
  );
}

function ChatWith({ models }: { readonly models: readonly LanguageModel[] }): JSX.Element {
  const state = useStore(conversation);
  const [isSettingsOpen, setSettingsOpen] = useState(() => matchMedia("(min-width: 901px)").matches);
  const [isDropping, setDropping] = useState(false);
  useKnownModel(state.settings.model, models);
  useEscape();
  const hearing = findHearing(state.settings.model, models);
  const deafness = findDeafness(hearing, state.turns, state.draft.files);
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    setDropping(false);
    attach([...(event.dataTransfer?.files ?? [])], hearing);
  };
  const dragOver = (event: DragEvent): void => {
    if (event.dataTransfer?.types.includes("Files") !== true) return;
    event.preventDefault();
    setDropping(true);
  };
  return (
    <div class="playground" data-settings={isSettingsOpen ? "open" : "closed"}>
      <section
        class="conversation"
        aria-label="Chat"
        data-dropping={isDropping}
        onDragOver={dragOver}
        onDragLeave={() => setDropping(false)}
        onDrop={drop}
      >
        <ChatActions
          hasTurns={state.turns.length > 0}
          isSettingsOpen={isSettingsOpen}
          onSettings={() => setSettingsOpen(!isSettingsOpen)}
        />
        <Thread turns={state.turns} isRunning={isRunning(state)} />
        <Composer obstacle={findObstacle(state.settings) ?? deafness} hearing={hearing} />
      </section>
      {isSettingsOpen && <SettingsPanel settings={state.settings} models={models} />}
    </div>
  );
}

interface ChatActionsProps {
  readonly hasTurns: boolean;
  readonly isSettingsOpen: boolean;
  readonly onSettings: () => void;
}

function ChatActions({ hasTurns, isSettingsOpen, onSettings }: ChatActionsProps): JSX.Element {
  return (
    <div class="conversation-actions">
      <button type="button" disabled={!hasTurns} onClick={clear}>
        Clear
      </button>
      <button type="button" onClick={() => openDialog(<CodeDialog />)}>
        Code
      </button>
      <button
        type="button"
        aria-expanded={isSettingsOpen}
        aria-controls="playground-settings"
        onClick={onSettings}
      >
        Settings
      </button>
    </div>
  );
}

/** Chooses the first model where the remembered one does not exist any more. */
function useKnownModel(model: string, models: readonly LanguageModel[]): void {
  useEffect(() => {
    const [first] = models;
    if (first !== undefined && !models.some(({ id }) => id === model)) setSettings({ model: first.id });
  }, [model, models]);
}

/** Escape stops the answer, except where it closes a dialog. */
function useEscape(): void {
  useEffect(() => {
    const react = (event: KeyboardEvent): void => {
      if (event.key === "Escape" && document.querySelector("dialog[open]") === null) stop();
    };
    document.addEventListener("keydown", react);
    return () => document.removeEventListener("keydown", react);
  }, []);
}

function findObstacle({ tools, schema }: Settings): string | null {
  if (toolsProblem(tools) !== null) return "The tools are not valid.";
  return schemaProblem(schema) === null ? null : "The response schema is not valid.";
}

function NoModels(): JSX.Element {
  return (
    <Empty title="No chat model">
      <p>
        This server has no chat model that you may use. An operator adds one with <code>hearth pull</code>.
      </p>
    </Empty>
  );
}
