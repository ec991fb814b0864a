import test from 'ava';
import { leaseConformance } from '../../conformance/leases.ts';
import { reconcilerConformance } from '../../conformance/reconcilers.ts';
import { embeddedStore } from '../../support/stores.ts';

const store = embeddedStore(test);
leaseConformance(test.serial, store);
reconcilerConformance(test.serial, store);
