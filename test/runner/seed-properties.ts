/**
 * Loaded before each test file: a property or a sample without parameters draws from the seed of the
 * run, as `propertyParameters` does, so that no run fails because of values that no other run draws.
 */

import fc from 'fast-check';
import { propertyParameters } from '../support/src/run-size.ts';

fc.configureGlobal(propertyParameters());
