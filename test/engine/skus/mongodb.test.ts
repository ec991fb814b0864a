import test from 'ava';
import { skuConformance } from '../../conformance/skus.ts';
import { noMongoDb } from '../../support/mongodb.ts';
import { needing } from '../../support/needing.ts';
import { mongoStore } from '../../support/stores.ts';

skuConformance(needing(noMongoDb, 'mongodb').serial, mongoStore(test));
