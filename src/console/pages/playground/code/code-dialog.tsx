import { serverAddress } from "../../../lib/base-path.js";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { toError } from "../../../lib/resource.js";
import { closeDialog, Dialog } from "../../../parts/dialog.js";
import { Select } from "../../../parts/field.js";
import { ErrorBox } from "../../../parts/page.js";
import { CopyButton } from "../../../parts/text.js";
import { conversation, requestTurns } from "../conversation.js";
import { toChatRequest } from "../request.js";
import { writeCode, type CodeLanguage } from "./code.js";

/** Longer code, which has images in it, is copied as a whole but shown in part. */
const shownCharsMax = 20_000;

/** Shows the current request as code. */
export function CodeDialog(): JSX.Element {
  const [language, setLanguage] = useState<CodeLanguage>("curl");
  const [code] = useState(() => codeReader());
  const text = code(language);
  return (
    <Dialog title="Code of this request" size="wide">
      <div class="body">
        <Select
          label="Language"
          value={language}
          onValue={setLanguage}
          options={[
            ["curl", "curl"],
            ["python", "Python"],
            ["typescript", "TypeScript"],
          ]}
        />
        {text instanceof Error ? (
          <ErrorBox error={text} />
        ) : (
          <>
            <pre class="program" tabIndex={0} aria-label="Code">
              {text.length > shownCharsMax
                ? `${text.slice(0, shownCharsMax)}\n… (Copy copies all of it.)`
                : text}
            </pre>
            <p class="hint">
              Set <code>OPENAI_API_KEY</code> to an API key first.
            </p>
          </>
        )}
      </div>
      <footer>
        {!(text instanceof Error) && <CopyButton key={language} text={text} />}
        <button type="button" onClick={closeDialog}>
          Done
        </button>
      </footer>
    </Dialog>
  );
}

/** Returns what writes the request of this moment as code. */
function codeReader(): (language: CodeLanguage) => string | Error {
  const state = conversation.get();
  return (language) => {
    try {
      return writeCode(language, serverAddress, toChatRequest(state.settings, requestTurns(state)));
    } catch (thrown) {
      return toError(thrown);
    }
  };
}
