export { createConsole } from './console.ts';
export { sandboxLogIn } from './log-in/sandbox-log-in.ts';
export type { Console, ConsolePorts, Identity, LogIn, RequestFacts } from './ports.ts';
