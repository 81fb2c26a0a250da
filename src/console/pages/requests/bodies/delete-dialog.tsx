import type { JSX } from "preact";
import { deleteBodies, type LoggedRequest } from "../../../api/requests.js";
import { Confirm } from "../../../parts/confirm.js";
import { showToast } from "../../../parts/toast.js";

interface DeleteBodiesDialogProps {
  readonly request: LoggedRequest;
  readonly onClose: () => void;
}

/** Asks before what was kept of a request is deleted. */
export function DeleteBodiesDialog({ request, onClose }: DeleteBodiesDialogProps): JSX.Element {
  const remove = async (): Promise<void> => {
    await deleteBodies(request.id);
    showToast("The texts of the request are deleted.");
  };
  return (
    <Confirm title="Delete texts" action="Delete texts" onConfirm={remove} onClose={onClose}>
      <p>
        What the request to <strong>{request.model}</strong> and its answer had is deleted. The request stays
        in the list, with its tokens and cost. This cannot be undone.
      </p>
    </Confirm>
  );
}
