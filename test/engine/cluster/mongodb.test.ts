import test from 'ava';
import { leaseConformance } from '../../conformance/leases.ts';
import { reconcilerConformance } from '../../conformance/reconcilers.ts';
import { noMongoDb } from '../../support/mongodb.ts';
import { needing } from '../../support/needing.ts';
import { mongoStore } from '../../support/stores.ts';

const declare = needing(noMongoDb, 'mongodb').serial;
const store = mongoStore(test);
leaseConformance(declare, store);
reconcilerConformance(declare, store);
