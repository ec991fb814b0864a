/** Yields the records of a store as lines. */
import type { StoredRecords } from './record-kind.ts';
import { type Sealing, withhold } from './sealing.ts';
import type { TransferLine } from './transfer-format.ts';

export interface ExportOptions {
  /** Whether secrets are written, readable. */
  secrets: boolean;
  catalogs: boolean;
}

export async function* exportLines(
  kinds: readonly StoredRecords[],
  sealing: Sealing,
  { secrets, catalogs }: ExportOptions,
): AsyncGenerator<TransferLine> {
  for (const kind of kinds) {
    if (kind.type === 'catalog' && !catalogs) continue;
    for await (const whole of kind.each()) {
      if (secrets) {
        yield { type: kind.type, record: sealing.readableValue(whole) };
        continue;
      }
      const { record, withheld } = withhold(whole, kind.shown?.(whole) ?? whole);
      yield { type: kind.type, record, ...(withheld.length > 0 && { withheld }) };
    }
  }
}
