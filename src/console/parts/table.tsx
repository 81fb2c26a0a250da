import type { ComponentChildren, JSX } from "preact";
import type { PagedResource, Resource } from "../lib/resource.js";
import { ErrorBox, Loading } from "./page.js";

export interface Column<Item> {
  readonly title: string;
  readonly cell: (item: Item) => ComponentChildren;
  /** Numbers stand at the right; what has buttons does not break. */
  readonly kind?: "number" | "actions";
}

/** A button in a row. */
interface RowAction {
  readonly text: string;
  /** Names the row, too, for screen readers. */
  readonly label?: string;
  readonly isDisabled?: boolean;
  readonly onClick: () => void;
}

/** Returns the column with the buttons of each row. @param list false is left out */
export function actionColumn<Item>(list: (item: Item) => readonly (RowAction | false)[]): Column<Item> {
  return {
    title: "Actions",
    kind: "actions",
    cell: (item) =>
      list(item).map(
        (action) =>
          action !== false && (
            <button
              key={action.text}
              type="button"
              aria-label={action.label}
              disabled={action.isDisabled}
              onClick={action.onClick}
            >
              {action.text}
            </button>
          ),
      ),
  };
}

interface TableProps<Item> {
  /** Says what the rows are, for screen readers. */
  readonly label: string;
  readonly columns: readonly Column<Item>[];
  readonly rows: Resource<readonly Item[]> | PagedResource<Item>;
  readonly getKey: (item: Item) => string;
  /** Stands in place of a table without rows. */
  readonly empty: JSX.Element;
}

/** A list of the server as a table, with a button for the next page. */
export function Table<Item>({ label, columns, rows, getKey, empty }: TableProps<Item>): JSX.Element {
  const { value, error, isLoading, reload } = rows;
  if (value === null) return error === null ? <Loading /> : <ErrorBox error={error} onRetry={reload} />;
  const loadMore = "loadMore" in rows ? rows.loadMore : null;
  return (
    <>
      {error !== null && <ErrorBox error={error} onRetry={reload} />}
      {value.length === 0 ? (
        empty
      ) : (
        <div class="table" tabIndex={0} role="region" aria-label={label}>
          <table aria-busy={isLoading}>
            <thead>
              <tr>
                {columns.map(({ title, kind }) => (
                  <th key={title} class={kind} scope="col">
                    {kind === "actions" ? <span class="unseen">{title}</span> : title}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {value.map((item) => (
                <tr key={getKey(item)}>
                  {columns.map(({ title, kind, cell }) => (
                    <td key={title} class={kind}>
                      {cell(item)}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {loadMore !== null && (
        <button type="button" class="more" aria-busy={isLoading} onClick={loadMore}>
          Show more
        </button>
      )}
    </>
  );
}
