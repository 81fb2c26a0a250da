import type { JSX } from "preact";
import { ApiError } from "../lib/client.js";

interface ErrorBoxProps {
  readonly error: Error;
  readonly onRetry?: () => void;
}

/** Says what happened, in the words of the server, and offers to try again where that can help. */
export function ErrorBox({ error, onRetry }: ErrorBoxProps): JSX.Element {
  const isDenied = error instanceof ApiError && error.status === 403;
  return (
    <div class="error-box" role="alert">
      <p>{error.message}</p>
      {onRetry !== undefined && !isDenied && (
        <button type="button" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  );
}
