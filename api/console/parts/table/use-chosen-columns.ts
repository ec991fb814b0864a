/** The columns of a table, by the choice of its reader. */
import { useEffect } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { storeColumns, storedColumns, withColumns } from '../../data/table-views.ts';

/**
 * The columns of the address. A page that is opened without any takes those that its reader chose last into the address, so that a copied
 * address shows the same to everyone.
 * @param address of the table, without its columns
 */
export function useChosenColumns(page: '/nodes' | '/workflows', address: string) {
  const { query, route } = useLocation();
  const kept = storedColumns(page);
  useEffect(() => {
    if (query.columns === undefined && kept !== undefined) route(withColumns(address, kept), true);
  }, [query.columns, address]);
  const choose = (names: string | undefined) => {
    storeColumns(page, names);
    route(withColumns(address, names), true);
  };
  return { chosen: query.columns ?? kept, choose };
}
