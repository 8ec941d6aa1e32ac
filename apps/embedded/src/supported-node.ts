/**
 * Imported first by every entry point that needs this Node: it has Temporal, and the libraries run
 * on it.
 */
import { requireNode } from './node-version.ts';

requireNode(26);
