/** The library, without its warning about the runtime. */
import { restoreWarnings } from './runtime-warning.ts';

export { errors, interactionPolicy, Provider } from 'oidc-provider';

restoreWarnings();
