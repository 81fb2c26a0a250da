import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { updateModel, type Model } from "../../api/models.js";
import { countText } from "../../lib/format.js";
import { Dialog } from "../../parts/dialog.js";
import { Choice, Field } from "../../parts/field.js";
import { Form } from "../../parts/form.js";
import { TextArea } from "../../parts/text-area.js";
import { showToast } from "../../parts/toast.js";
import {
  diffSettings,
  toSettingFields,
  findFailedSetting,
  type SettingFields,
  type SettingName,
} from "./settings.js";

interface ModelDialogProps {
  readonly model: Model;
  readonly onSaved: () => void;
  readonly onClose: () => void;
}

/** Changes the settings of a model. An error of the server stands at the field that it names. */
export function ModelDialog({ model, onSaved, onClose }: ModelDialogProps): JSX.Element {
  const [before] = useState(() => toSettingFields(model));
  const [fields, setFields] = useState(before);
  const [problem, setProblem] = useState<Problem | null>(null);
  const set = (name: SettingName, value: string): void => setFields({ ...fields, [name]: value });
  const save = async (): Promise<void> => {
    setProblem(null);
    try {
      await updateModel(model.id, diffSettings(before, fields));
    } catch (thrown) {
      const name = findFailedSetting(thrown);
      if (name === null || !(thrown instanceof Error)) throw thrown;
      setProblem({ name, text: thrown.message.replace(/^[^:]*: /, "") });
      return;
    }
    showToast(`The settings of “${model.id}” are saved.`);
    onSaved();
    onClose();
  };
  const parts = { model, fields, set, problem };
  return (
    <Dialog title={`Edit ${model.id}`} size="wide" onClose={onClose}>
      <Form action="Save" onSubmit={save} onCancel={onClose}>
        <Setting
          {...parts}
          name="aliases"
          label="Aliases"
          hint="Other names that requests may use, with spaces between them; * stands for any text, as in gpt-*."
        />
        <Prices {...parts} />
        {model.kind !== "image" && model.kind !== "vision" && <Memory {...parts} />}
        {model.kind === "chat" && <Answers {...parts} />}
      </Form>
    </Dialog>
  );
}

interface Problem {
  readonly name: SettingName;
  readonly text: string;
}

interface PartProps {
  readonly model: Model;
  readonly fields: SettingFields;
  readonly set: (name: SettingName, value: string) => void;
  readonly problem: Problem | null;
}

interface SettingProps extends PartProps {
  readonly name: SettingName;
  readonly label: string;
  readonly hint?: string;
  readonly placeholder?: string;
}

function Setting({ name, label, hint, placeholder, fields, set, problem }: SettingProps): JSX.Element {
  return (
    <Field
      label={label}
      {...(hint === undefined ? {} : { hint })}
      {...(placeholder === undefined ? {} : { placeholder })}
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
            <Choice
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
