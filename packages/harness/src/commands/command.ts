import type fc from 'fast-check';
import type { ReferenceModel } from '../reference/model.ts';
import type { System } from '../system.ts';

/** One step of a sequence: does the same to the model and to the system, and compares. */
export type Command = fc.AsyncCommand<ReferenceModel, System>;
