import test from 'ava';
import { arrivalConformance } from '../../conformance/arrivals.ts';
import { embeddedStore } from '../../support/stores.ts';

// Serial: the tests share the collections.
arrivalConformance(test.serial, embeddedStore(test));
