/*
 * At its import the library writes a warning to the console when Node is not a release with
 * long-term support. Which Node the service has is tested. This module is evaluated before the
 * library, which `oidc-provider.ts` imports after it.
 */
const { warn } = console;
console.warn = (...written) => {
  if (!String(written[0]).includes('oidc-provider WARNING: Unsupported runtime')) warn(...written);
};

export function restoreWarnings(): void {
  console.warn = warn;
}
