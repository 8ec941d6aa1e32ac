/**
 * Imported first by every entry point that needs this Node, on which the libraries run.
 */
import { requireNode } from './node-version.ts';

requireNode(24);
