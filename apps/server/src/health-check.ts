/**
 * The health check of the container: exit status 0 when the server on this machine answers
 * `/healthz`, else 1. It imports nothing, because it runs every few seconds.
 */
try {
  const { ok } = await fetch(`http://127.0.0.1:${process.env.PORT || 8080}/healthz`, {
    signal: AbortSignal.timeout(4_000),
  });
  process.exitCode = ok ? 0 : 1;
} catch {
  process.exitCode = 1;
}
