// create-keys.ts
import { createKeys } from 'tallystick';

console.log(await createKeys());
