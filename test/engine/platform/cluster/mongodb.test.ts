import test from 'ava';
import { fieldConformance, fieldOn, leaseConformance } from '../../../conformance/leases.ts';
import { reconcilerConformance } from '../../../conformance/reconcilers.ts';
import { needing } from '../../../support/ava/needs.ts';
import { mongoStore } from '../../../support/engine/stores.ts';
import { noMongoDb } from '../../../support/servers/mongodb.ts';

const declare = needing(noMongoDb, 'mongodb').serial;
const store = mongoStore(test);
leaseConformance(declare, 'a field of a document', fieldOn(store));
fieldConformance(declare, store);
reconcilerConformance(declare, store);
