/** `npm run generate`: writes the files that `generatedFiles` makes. */
import { writeFileSync } from 'node:fs';
import { generatedFiles } from './operation-types.ts';

for (const { url, text } of generatedFiles()) writeFileSync(url, text);
