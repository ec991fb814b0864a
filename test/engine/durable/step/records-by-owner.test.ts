/** The records of a step's row beside plain objects that are scanned and copied. */
import test from 'ava';
import fc from 'fast-check';
import { RecordsByOwner } from '../../../../engine/durable/step/records-by-owner.ts';

interface Part {
  owner: number;
  n: number;
}

const ownerOf = ({ owner }: Part): number | undefined => (owner === 0 ? undefined : owner);
const COUNT = 1_000;
const rowOf = (count: number) => ({
  parts: Object.fromEntries(Array.from({ length: count }, (_, n) => [`p${n}`, { owner: n % 7, n }])),
});

const change = fc.record({
  kind: fc.constantFrom('set', 'delete', 'deleteAll', 'find'),
  which: fc.nat(250),
  owner: fc.nat(6),
});

test('changes and finds give what scans of plain objects give, with few records and with many', (t) => {
  const property = fc.property(fc.constantFrom(0, 5, 3_000), fc.array(change, { maxLength: 60 }), (count, changes) => {
    const row = rowOf(count);
    const records = new RecordsByOwner(row, 'parts', ownerOf);
    const given = row.parts;
    const before = { ...given };
    let plain: Record<string, Part> = { ...given };
    const idsOf = (owner: number) => Object.keys(plain).filter((id) => ownerOf(plain[id] as Part) === owner);
    for (const [n, { kind, which, owner }] of changes.entries()) {
      const id = `p${which}`;
      if (kind === 'set') {
        const part = { owner: plain[id]?.owner ?? owner, n };
        records.set(id, part);
        plain[id] = part;
      } else if (kind !== 'find') {
        const ids = kind === 'delete' ? [id] : records.idsOf(owner);
        if (kind === 'delete') records.delete(id);
        else records.deleteOf(owner);
        plain = Object.fromEntries(Object.entries(plain).filter(([other]) => !ids.includes(other)));
      }
      if (owner > 0) t.deepEqual(records.idsOf(owner), idsOf(owner));
      if (which % 2 === 0) t.is(records.areUnowned, !Object.values(plain).some((part) => ownerOf(part)));
    }
    t.deepEqual(Object.entries(row.parts), Object.entries(plain));
    t.deepEqual(given, before);
  });
  fc.assert(property, { numRuns: 50 });
});

test('a step that ends each of a thousand records looks at none of them often', (t) => {
  let looks = 0;
  const row = rowOf(COUNT);
  const records = new RecordsByOwner(row, 'parts', (part: Part) => {
    looks += 1;
    return part.n;
  });
  for (let n = 0; n < COUNT; n += 1) {
    t.false(records.areUnowned);
    records.deleteOf(n);
  }
  t.true(records.areUnowned);
  t.deepEqual(row.parts, {});
  t.true(looks < 30 * COUNT, `${looks} looks at ${COUNT} records`);
});
