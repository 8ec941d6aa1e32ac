/** A key that signs by PS256, as openid-client v6 and oauth4webapi take it. */
export async function signingKey(private_jwk: Readonly<Record<string, string>>) {
  const algorithm = { name: 'RSA-PSS', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('jwk', private_jwk, algorithm, false, ['sign']);
  return { key, kid: private_jwk.kid! };
}
