/** Requests: what the models answer now and have answered, with times, tokens and cost. */
import type { JSX } from "preact";
import { useCallback, useMemo, useState } from "preact/hooks";
import { type LoggedRequest, type RequestFilter, cancelRequest, getRequest } from "../../api/requests.js";
import { plural } from "../../lib/format.js";
import { navigate, pageHref, useLocation } from "../../lib/location.js";
import { Confirm } from "../../parts/confirm.js";
import { showToast } from "../../parts/toast.js";
import { useTeam } from "../../session.js";
import { Empty } from "../../parts/empty.js";
import { PageHead } from "../../parts/page-head.js";
import { SearchField } from "../../parts/search-field.js";
import { Table } from "../../parts/table.js";
import { DeleteBodiesDialog } from "./bodies/delete-dialog.js";
import { requestColumns, type OpenRequest } from "./columns.js";
import { readRequestFilter, Filters, isFiltered } from "./filters.js";
import { RequestDialog } from "./request-dialog.js";
import { useRequests } from "./use-requests.js";

/** The page. */
export function RequestsPage(): JSX.Element {
  const { teamId } = useTeam();
  const { query } = useLocation();
  const address = query.toString();
  // The start of a span such as the last hour stays until the filter changes, so that the pages of the list fit together.
  const filter = useMemo(() => readRequestFilter(teamId, new URLSearchParams(address)), [teamId, address]);
  const [open, setOpen] = useState<OpenRequest | null>(null);
  const requests = useRequests(filter, open !== null);
  const change = useCallback(
    (fields: Readonly<Record<string, string>>) =>
      navigate(pageHref("requests", { ...Object.fromEntries(new URLSearchParams(address)), ...fields }), {
        replace: true,
      }),
    [address],
  );
  const search = useCallback((q: string) => change({ q }), [change]);
  const showNewer = (): void => {
    scrollTo(0, 0);
    requests.reload();
  };
  const close = (): void => setOpen(null);
  return (
    <>
      <PageHead title="Requests">
        <SearchField label="Search requests" value={filter.text} onSearch={search} />
      </PageHead>
      <Filters query={query} requests={requests.value ?? []} onChange={change} />
      <p class="newer" role="status">
        {requests.newer > 0 && (
          <button type="button" onClick={showNewer}>
            Show {plural(requests.newer, "new request")}
          </button>
        )}
      </p>
      <Table
        label="Requests"
        columns={requestColumns(setOpen)}
        rows={requests}
        getKey={({ id }) => id}
        empty={<NoRequests filter={filter} />}
      />
      {open?.kind === "details" && (
        <RequestDialog listed={findNewest(open.request, requests.value)} onOpen={setOpen} onClose={close} />
      )}
      {open?.kind === "cancel" && (
        <CancelDialog request={open.request} onChanged={requests.update} onClose={close} />
      )}
      {open?.kind === "delete-bodies" && <DeleteBodiesDialog request={open.request} onClose={close} />}
    </>
  );
}

/** Returns the request as the list has it now. */
function findNewest(request: LoggedRequest, list: readonly LoggedRequest[] | null): LoggedRequest {
  return list?.find(({ id }) => id === request.id) ?? request;
}

function NoRequests({ filter }: { readonly filter: RequestFilter }): JSX.Element {
  if (isFiltered(filter))
    return (
      <Empty title="No request matches">
        <p>Requests are searched by ID, model, endpoint and the name of the API key.</p>
        <a class="button" href={pageHref("requests")}>
          Show all requests
        </a>
      </Empty>
    );
  return (
    <Empty title="No requests yet">
      <p>Every request to a model appears here while it waits, runs and when it has ended.</p>
      <a class="button" href={pageHref("playground")}>
        Send one in the playground
      </a>
    </Empty>
  );
}

interface CancelDialogProps {
  readonly request: LoggedRequest;
  /** Called with the request as it is then. */
  readonly onChanged: (request: LoggedRequest) => void;
  readonly onClose: () => void;
}

/** Asks before a request is cancelled. */
function CancelDialog({ request, onChanged, onClose }: CancelDialogProps): JSX.Element {
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
