import { pathToFileURL } from 'node:url';
import type { UserLogin } from '@tallystick/consents';

/** The module of `USER_LOGIN_MODULE` cannot be used. */
export class UnusableUserLogin extends Error {
  override readonly name = 'UnusableUserLogin';
}

/** The login of the bank's users: the default export of a module, or what it returns when called. */
export async function loadUserLogin(path: string): Promise<UserLogin> {
  let exported: unknown;
  try {
    const module = (await import(pathToFileURL(path).href)) as { readonly default?: unknown };
    exported = typeof module.default === 'function' ? await module.default() : module.default;
  } catch (error) {
    throw new UnusableUserLogin(`USER_LOGIN_MODULE: ${path} cannot be loaded: ${(error as Error).message}`);
  }
  if (isUserLogin(exported)) {
    if (exported.acr === undefined || isAcr(exported.acr)) return checked(exported);
    throw new UnusableUserLogin(`USER_LOGIN_MODULE: acr of ${path} must be a URN such as urn:openbanking:psd2:sca`);
  }
  throw new UnusableUserLogin(`USER_LOGIN_MODULE: the default export of ${path} has no function authenticate`);
}

/** Treats undefined as null, so that the attempt counts. Rejects an id that is not a string. */
function checked(login: UserLogin): UserLogin {
  return {
    ...(login.acr === undefined ? {} : { acr: login.acr }),
    async authenticate(credentials) {
      const user_id: unknown = (await login.authenticate(credentials)) ?? null;
      if (user_id === null || typeof user_id === 'string') return user_id;
      throw new TypeError('USER_LOGIN_MODULE: authenticate must return the id of a user as text, or null');
    },
  };
}

function isAcr(acr: unknown): boolean {
  return typeof acr === 'string' && /^urn:[\w:.-]{1,200}$/.test(acr);
}

function isUserLogin(value: unknown): value is UserLogin {
  return (
    typeof value === 'object' && value !== null && 'authenticate' in value && typeof value.authenticate === 'function'
  );
}
