import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { pullModel } from "../../api/models.js";
import { Dialog } from "../../parts/dialog.js";
import { Field } from "../../parts/field.js";
import { Form } from "../../parts/form.js";

interface PullDialogProps {
  readonly onStarted: () => void;
  readonly onClose: () => void;
}

/** Asks which model to download, and starts it. */
export function PullDialog({ onStarted, onClose }: PullDialogProps): JSX.Element {
  const [model, setModel] = useState("");
  const start = async (): Promise<void> => {
    await pullModel(model.trim());
    onStarted();
    onClose();
  };
  return (
    <Dialog title="Add model" onClose={onClose}>
      <Form action="Download" onSubmit={start} onCancel={onClose}>
        <Field
          label="Model"
          hint="A name such as qwen3:4b, a repository of the hub such as org/repo or org/repo:Q4_K_M, or an https address of a GGUF file."
          required
          autofocus
          autocomplete="off"
          maxLength={2000}
          value={model}
          onValue={setModel}
        />
        <p class="hint">
          The download goes on when you leave this page. Models that you put into the folder of models appear
          by themselves. <a href="/docs/guides/models">The guide of models</a> says more.
        </p>
      </Form>
    </Dialog>
  );
}
