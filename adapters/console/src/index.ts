export { createConsole } from './console.ts';
export type { OpenIdSettings } from './log-in/openid.ts';
export { type PersonDoorPorts, type PersonLogIn, personLogIn } from './log-in/person-log-in.ts';
export { type PortalPorts, portalDoor } from './log-in/portal.ts';
export type { Console, ConsolePorts, Identity, LogIn, PortalDoor, RequestFacts } from './ports.ts';
