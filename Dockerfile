# An installation of the server, without development tools. npm also installs the pinned Node, so the
# Node of this image only runs npm.
FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY . .
RUN npm ci --omit=dev

# The libraries that Node needs are the only addition. The command runs the TypeScript sources: the
# image has no build that could differ from what is tested.
FROM debian:bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates libatomic1 libstdc++6 && rm -rf /var/lib/apt/lists/*
RUN install -d -o 10001 -g 10001 -m 0700 /data
WORKDIR /app
COPY --from=build /app /app
ENV PATH=/app/bin:$PATH NODE_ENV=production HOST=0.0.0.0 PORT=8080
USER 10001:10001
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s CMD ["node", "apps/server/src/health-check.ts"]
CMD ["node", "--conditions=source", "apps/server/src/main.ts"]
