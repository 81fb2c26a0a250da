import type { JSX } from "preact";
import type { WireLanguageModels } from "../../../../http/inference/models/language-models.js";
import { Field, Select, TextArea } from "../../../parts/field.js";
import { setSettings } from "../conversation.js";
import { efforts, schemaProblem, toolsProblem, type Settings } from "../request.js";

const exampleTools = JSON.stringify(
  [
    {
      type: "function",
      function: {
        name: "get_weather",
        description: "Returns the weather of a city.",
        parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
      },
    },
  ],
  null,
  2,
);
const exampleSchema = JSON.stringify(
  { type: "object", properties: { answer: { type: "string" } }, required: ["answer"] },
  null,
  2,
);

interface SettingsPanelProps {
  readonly settings: Settings;
  readonly models: WireLanguageModels["models"];
}

/** What requests have beside the messages. */
export function SettingsPanel({ settings, models }: SettingsPanelProps): JSX.Element {
  return (
    <aside id="playground-settings" class="playground-settings fields" aria-label="Settings">
      <Select
        label="Model"
        value={settings.model}
        onValue={(model) => setSettings({ model })}
        options={models.map(({ id }) => [id, id])}
      />
      <TextArea
        label="System prompt"
        rows={3}
        value={settings.system}
        onValue={(system) => setSettings({ system })}
      />
      <SamplingFields settings={settings} />
      <JsonField
        title="Tools"
        hint="A list of function tools. The page shows what the model calls, and you enter the results."
        value={settings.tools}
        problem={toolsProblem(settings.tools)}
        example={exampleTools}
        onValue={(tools) => setSettings({ tools })}
      />
      <JsonField
        title="Response schema"
        hint="A JSON Schema. The answer is JSON of this form."
        value={settings.schema}
        problem={schemaProblem(settings.schema)}
        example={exampleSchema}
        onValue={(schema) => setSettings({ schema })}
      />
    </aside>
  );
}

function SamplingFields({ settings }: { readonly settings: Settings }): JSX.Element {
  const number = (
    label: string,
    name: "temperature" | "topP" | "maxTokens" | "seed",
    limits: { readonly min?: number; readonly max?: number; readonly step?: "any" },
  ): JSX.Element => (
    <Field
      label={label}
      type="number"
      placeholder="default"
      {...limits}
      value={settings[name]}
      onValue={(value) => setSettings({ [name]: value })}
    />
  );
  return (
    <details>
      <summary>Sampling</summary>
      <div class="sampling">
        {number("Temperature", "temperature", { min: 0, max: 2, step: "any" })}
        {number("Top P", "topP", { min: 0, max: 1, step: "any" })}
        {number("Max tokens", "maxTokens", { min: 1 })}
        {number("Seed", "seed", {})}
        <Select
          label="Reasoning effort"
          value={settings.effort}
          onValue={(effort) => setSettings({ effort })}
          options={[["", "default"], ...efforts.map((effort) => [effort, effort] as const)]}
        />
      </div>
    </details>
  );
}

interface JsonFieldProps {
  readonly title: string;
  readonly hint: string;
  readonly value: string;
  readonly problem: string | null;
  readonly example: string;
  readonly onValue: (value: string) => void;
}

function JsonField({ title, hint, value, problem, example, onValue }: JsonFieldProps): JSX.Element {
  return (
    <details>
      <summary>
        {title}
        {value.trim() !== "" && (
          <span class={problem === null ? "state good" : "state bad"}>
            {problem === null ? "on" : "not valid"}
          </span>
        )}
      </summary>
      <div class="fields">
        <TextArea
          label={`${title} (JSON)`}
          hint={hint}
          problem={problem}
          isCode
          rows={8}
          value={value}
          onValue={onValue}
        />
        {value === "" && (
          <button type="button" onClick={() => onValue(example)}>
            Use an example
          </button>
        )}
      </div>
    </details>
  );
}
