import test from 'ava';
import { skuConformance } from '../../conformance/skus.ts';
import { embeddedStore } from '../../support/stores.ts';

// One after the other: they share the collections.
skuConformance(test.serial, embeddedStore(test));
