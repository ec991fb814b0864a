import test from 'ava';
import { fieldConformance, fieldOn, leaseConformance } from '../../../conformance/leases.ts';
import { reconcilerConformance } from '../../../conformance/reconcilers.ts';
import { embeddedStore } from '../../../support/engine/stores.ts';

const store = embeddedStore(test);
leaseConformance(test.serial, 'a field of a document', fieldOn(store));
fieldConformance(test.serial, store);
reconcilerConformance(test.serial, store);
