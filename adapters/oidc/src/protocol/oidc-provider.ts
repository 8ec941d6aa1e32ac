/*
 * The library, without its warning about the runtime: at its import it writes to the console when
 * Node is not a release with long-term support. Which Node the service has is pinned, and tested.
 */
const { warn } = console;
console.warn = (...written) => {
  if (!String(written[0]).includes('oidc-provider WARNING: Unsupported runtime')) warn(...written);
};
const library = await import('oidc-provider').finally(() => {
  console.warn = warn;
});

export const { errors, interactionPolicy, Provider } = library;
