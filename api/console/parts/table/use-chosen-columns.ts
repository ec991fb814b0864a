/** The columns of a table, by the choice of its reader. */
import { useEffect } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { storeColumns, storedColumns, withColumns } from '../../data/table-views.ts';

/**
 * Returns the columns of the address. An address without any gets those that its reader chose last, so that a copied address
 * shows the same columns to every reader.
 * @param address of the table, without its columns
 */
export function useChosenColumns(page: '/nodes' | '/workflows', address: string) {
  const { query, route } = useLocation();
  const ownChoice = storedColumns(page);
  useEffect(() => {
    if (query.columns === undefined && ownChoice !== undefined) route(withColumns(address, ownChoice), true);
  }, [query.columns, address]);
  const choose = (names: string | undefined) => {
    storeColumns(page, names);
    route(withColumns(address, names), true);
  };
  return { chosen: query.columns ?? ownChoice, choose };
}
