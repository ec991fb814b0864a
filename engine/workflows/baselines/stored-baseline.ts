/** The documents of baselines. */
import type { BaselineRecord } from '../../api-port/baselines.ts';
import type { CollectionSpec } from '../../platform/store/port.ts';

/** `bios` as JSON, because a store may have rules of its own for names. */
export interface StoredBaseline extends Omit<BaselineRecord, 'bios' | 'inBand'> {
  bios: string;
  /** Absent: it was stored before baselines had it. */
  inBand?: BaselineRecord['inBand'];
}

export const baselineSpec: CollectionSpec = {
  name: 'baselines',
  indexes: { name: 'text', sku: 'text', createdAt: 'text', updatedAt: 'text' },
};

/** All of them. */
export const BASELINES = 1_000;

export const baselineRecordOf = ({ bios, inBand = [], ...stored }: StoredBaseline): BaselineRecord => ({
  ...stored,
  bios: JSON.parse(bios),
  inBand,
});
