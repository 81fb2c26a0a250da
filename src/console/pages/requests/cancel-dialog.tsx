import type { JSX } from "preact";
import { cancelRequest, getRequest, type LoggedRequest } from "../../api/requests.js";
import { Confirm } from "../../parts/confirm.js";
import { showToast } from "../../parts/toast.js";

interface CancelDialogProps {
  readonly request: LoggedRequest;
  /** Called with the request as it is then. */
  readonly onChanged: (request: LoggedRequest) => void;
  readonly onClose: () => void;
}

/** Asks before a request is cancelled. */
export function CancelDialog({ request, onChanged, onClose }: CancelDialogProps): JSX.Element {
  const cancel = async (): Promise<void> => {
    try {
      onChanged(await cancelRequest(request.id));
      showToast("The request is cancelled.");
    } catch (thrown) {
      // It may have ended by itself, which the list then shows.
      void getRequest(request.id).then(onChanged, () => undefined);
      throw thrown;
    }
  };
  return (
    <Confirm title="Cancel request" action="Cancel request" onConfirm={cancel} onClose={onClose}>
      <p>
        The answer of <strong>{request.model}</strong> to the API key{" "}
        <strong>{request.apiKeyName ?? request.apiKeyId}</strong> ends with an error. What was generated until
        then is charged.
      </p>
    </Confirm>
  );
}
