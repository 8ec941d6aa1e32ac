import { runTogether } from './run-together.ts';

await runTogether('mikro-orm');
