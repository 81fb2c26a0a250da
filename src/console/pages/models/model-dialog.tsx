import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { WireModel } from "../../../http/management/models/present-model.js";
import { toModelPath } from "../../api/models.js";
import { send, ApiError } from "../../lib/client.js";
import { countText } from "../../lib/format.js";
import { FormDialog } from "../../parts/dialog.js";
import { Field, Select, TextArea } from "../../parts/field.js";

interface ModelDialogProps {
  readonly model: WireModel;
  readonly onSaved: () => void;
}

/** Changes the settings of a model. An error of the server stands at the field that it names. */
export function ModelDialog({ model, onSaved }: ModelDialogProps): JSX.Element {
  const [before] = useState(() => toModelFields(model));
  const [fields, setFields] = useState(before);
  const [problem, setProblem] = useState<Problem | null>(null);
  const set = (name: ModelField, value: string): void => setFields({ ...fields, [name]: value });
  const save = async (): Promise<boolean> => {
    setProblem(null);
    try {
      await send("PUT", toModelPath(model.id), diffSettings(before, fields));
    } catch (thrown) {
      const name = findFailedSetting(thrown);
      if (name === null || !(thrown instanceof Error)) throw thrown;
      setProblem({ name, text: thrown.message.replace(/^[^:]*: /, "") });
      return false;
    }
    onSaved();
    return true;
  };
  const parts = { model, fields, set, problem };
  return (
    <FormDialog
      title={`Edit ${model.id}`}
      size="wide"
      action="Save"
      done={`The settings of “${model.id}” are saved.`}
      onSubmit={save}
    >
      <Setting
        {...parts}
        name="aliases"
        label="Aliases"
        hint="Other names that requests may use, with spaces between them; * stands for any text, as in gpt-*."
      />
      <Prices {...parts} />
      {model.kind !== "image" && model.kind !== "vision" && <Memory {...parts} />}
      {model.kind === "chat" && <Answers {...parts} />}
    </FormDialog>
  );
}

interface Problem {
  readonly name: ModelField;
  readonly text: string;
}

interface PartProps {
  readonly model: WireModel;
  readonly fields: ModelFields;
  readonly set: (name: ModelField, value: string) => void;
  readonly problem: Problem | null;
}

interface SettingProps extends PartProps {
  readonly name: ModelField;
  readonly label: string;
  readonly hint?: string;
  readonly placeholder?: string;
}

function Setting({ name, label, hint, placeholder, fields, set, problem }: SettingProps): JSX.Element {
  return (
    <Field
      label={label}
      hint={hint}
      placeholder={placeholder}
      problem={problem?.name === name ? problem.text : null}
      autocomplete="off"
      value={fields[name]}
      onValue={(value) => set(name, value)}
    />
  );
}

function Prices(props: PartProps): JSX.Element {
  const { kind, prices } = props.model;
  if (kind === "image")
    return (
      <Setting
        {...props}
        name="prices.image"
        label="Price of an image"
        hint="US dollars."
        placeholder={prices.image}
      />
    );
  return (
    <fieldset>
      <legend>Prices in US dollars per million tokens</legend>
      <div class="columns">
        <Setting {...props} name="prices.prompt" label="Prompt" placeholder={prices.prompt} />
        <Setting {...props} name="prices.cached" label="Cached prompt" placeholder={prices.cached} />
        {kind === "chat" && (
          <Setting {...props} name="prices.completion" label="Answer" placeholder={prices.completion} />
        )}
      </div>
    </fieldset>
  );
}

function Memory(props: PartProps): JSX.Element {
  const { model, fields, set } = props;
  const { contextTokens, trainedTokens } = model;
  const most = trainedTokens === null ? "" : `; it was trained with ${countText(trainedTokens)}`;
  return (
    <fieldset>
      <legend>Memory</legend>
      <div class="columns">
        <Setting
          {...props}
          name="context"
          label="Context"
          hint={`Tokens of prompt and answer${most}.`}
          placeholder={String(contextTokens)}
        />
        <Setting
          {...props}
          name="keepAlive"
          label="Stays unused for"
          hint="Such as 30s, 10m, 2h or forever."
        />
        {model.kind === "chat" && (
          <>
            <Setting {...props} name="slots" label="Answers at a time" />
            <Select
              label="Type of the cache"
              value={fields.kvCache}
              onValue={(value) => set("kvCache", value)}
              options={[
                ["", "As the server has it"],
                ["f16", "f16: exact"],
                ["q8_0", "q8_0: half the memory"],
                ["q4_0", "q4_0: a quarter of the memory"],
              ]}
            />
          </>
        )}
        <Setting {...props} name="gpuLayers" label="Layers on the GPU" hint="A number, auto or max." />
      </div>
    </fieldset>
  );
}

function Answers(props: PartProps): JSX.Element {
  const { fields, set, problem } = props;
  return (
    <details open={fields.system !== "" || fields["sampling.temperature"] !== ""}>
      <summary>Where a request does not say otherwise</summary>
      <div class="fields">
        <TextArea
          label="System message"
          hint="Of conversations that have none."
          problem={problem?.name === "system" ? problem.text : null}
          rows={3}
          value={fields.system}
          onValue={(value) => set("system", value)}
        />
        <div class="columns">
          <Setting {...props} name="sampling.temperature" label="Temperature" hint="From 0 to 2." />
          <Setting {...props} name="sampling.topP" label="Top P" hint="Above 0, at most 1." />
          <Setting {...props} name="sampling.maxTokens" label="Tokens of an answer" hint="At most." />
          <Setting {...props} name="reasoningTokensMax" label="Tokens of reasoning" hint="At most." />
        </div>
      </div>
    </details>
  );
}

// The settings of a model as fields of a form: all are text, and empty where the operator has set nothing.

/** Fields of a form by the name of the setting, such as `prices.prompt`. */
type ModelFields = Readonly<Record<ModelField, string>>;

const modelFieldNames = [
  "aliases",
  "context",
  "prices.prompt",
  "prices.cached",
  "prices.completion",
  "prices.image",
  "slots",
  "keepAlive",
  "kvCache",
  "gpuLayers",
  "reasoningTokensMax",
  "system",
  "sampling.temperature",
  "sampling.topP",
  "sampling.maxTokens",
] as const;

type ModelField = (typeof modelFieldNames)[number];

/** The longest time that the server takes, which `forever` means. */
const foreverMs = 31 * 24 * 3_600_000;

/** Returns the settings of a model as the form begins. */
function toModelFields({ settings }: WireModel): ModelFields {
  const text = (name: ModelField): string => toText(name, valueAt(settings, name));
  return Object.fromEntries(modelFieldNames.map((name) => [name, text(name)])) as ModelFields;
}

/** Returns the change from one state of the form to another, as the API takes it: null for a field that was emptied. */
function diffSettings(before: ModelFields, after: ModelFields): Readonly<Record<string, unknown>> {
  const change = new Map<string, unknown>();
  for (const name of modelFieldNames) {
    const text = after[name].trim();
    if (text === before[name]) continue;
    const value = parseValue(name, text);
    const [outer = "", inner] = name.split(".");
    if (inner === undefined) change.set(outer, value);
    else change.set(outer, { ...(change.get(outer) as object | undefined), [inner]: value });
  }
  return Object.fromEntries(change);
}

/** Returns the setting that an error of the server names at the beginning of its message; null for another error. */
function findFailedSetting(error: unknown): ModelField | null {
  if (!(error instanceof ApiError)) return null;
  const [, path = ""] = /^([A-Za-z.\d]+): /.exec(error.message) ?? [];
  return modelFieldNames.find((name) => path === name || path.startsWith(`${name}.`)) ?? null;
}

function valueAt(settings: WireModel["settings"], name: ModelField): unknown {
  const [outer = "", inner] = name.split(".");
  const value = settings[outer];
  if (inner === undefined) return value;
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[inner] : undefined;
}

function toText(name: ModelField, value: unknown): string {
  if (value == null) return "";
  if (Array.isArray(value)) return value.join(" ");
  if (name === "keepAlive" && typeof value === "number") return timeText(value);
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

/** Numbers are sent as they were typed: the server says what is wrong with them. */
function parseValue(name: ModelField, text: string): unknown {
  if (text === "") return null;
  return name === "aliases" ? text.split(/[\s,]+/).filter((alias) => alias !== "") : text;
}

function timeText(ms: number): string {
  if (ms === foreverMs) return "forever";
  const [unit, size] = [
    ["h", 3_600_000],
    ["m", 60_000],
    ["s", 1000],
  ].find(([, size]) => ms > 0 && ms % Number(size) === 0) ?? ["ms", 1];
  return ms === 0 ? "0" : `${ms / Number(size)}${unit}`;
}
