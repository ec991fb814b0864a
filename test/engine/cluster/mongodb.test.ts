import test from 'ava';
import { fieldConformance, fieldOn, leaseConformance } from '../../conformance/leases.ts';
import { reconcilerConformance } from '../../conformance/reconcilers.ts';
import { noMongoDb } from '../../support/mongodb.ts';
import { needing } from '../../support/needing.ts';
import { mongoStore } from '../../support/stores.ts';

const declare = needing(noMongoDb, 'mongodb').serial;
const store = mongoStore(test);
leaseConformance(declare, 'a field of a document', fieldOn(store));
fieldConformance(declare, store);
reconcilerConformance(declare, store);
