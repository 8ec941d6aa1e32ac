// Runs in the browser, on the page `/docs`.
const keys = JSON.parse(document.getElementById('sandbox-keys').textContent);
const api = await (await fetch('openapi.json')).json();
const { scheme, roles } = keysByRole(api);
api.components.securitySchemes = Object.fromEntries(
  roles.map((role) => [role, { ...scheme, description: `An API key of the role ${role}` }]),
);

Scalar.createApiReference('#reference', {
  content: api,
  authentication: {
    securitySchemes: Object.fromEntries(roles.map((role) => [role, { token: keys[role] ?? '' }])),
  },
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
  modelsSectionLabel: 'Schemas',
  documentDownloadType: 'none',
  showOperationId: true,
  // What is deprecated works, and stays readable.
  customCss: '.line-through, .deprecated { text-decoration: none !important; }',
  // Nothing of Scalar's services, and nothing from outside this server.
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: 'never',
  telemetry: false,
  withDefaultFonts: false,
});

/**
 * Gives each role a security scheme of its own, because a reader has a key for each role. The document
 * has one scheme, and the roles of an operation as its scopes.
 */
function keysByRole({ components, paths }) {
  const found = new Set();
  for (const operations of Object.values(paths)) {
    for (const operation of Object.values(operations)) {
      operation.security = operation.security.flatMap(({ key = [] }) => key).map((role) => ({ [role]: [] }));
      for (const role of operation.security.flatMap(Object.keys)) found.add(role);
    }
  }
  return { scheme: components.securitySchemes.key, roles: [...found] };
}
