# syntax=docker/dockerfile:1

# Debian, not Alpine: names are resolved by glibc, as in the tests. The same release and Node as CI's.
FROM node:24.21.0-bookworm-slim AS base
WORKDIR /app

# Only the manifests, so that a change of the sources does not install every package again.
FROM base AS manifests
COPY . .
RUN mkdir manifests && cp --parents package.json package-lock.json .npmrc \
  apps/*/package.json bench/package.json packages/*/package.json tools/*/package.json manifests

# Build the sources, then trace the imports to copy only the files that run.
FROM base AS build
ENV PATH=/app/node_modules/.bin:$PATH
COPY --from=manifests /app/manifests ./
RUN --mount=type=cache,target=/root/.npm npm ci --ignore-scripts
COPY . .
RUN npm run build \
  && npm run binaries \
  && node tools/image-files.ts service image/service \
  && node tools/image-files.ts operations image/operations

FROM base AS bare
ENV NODE_ENV=production
LABEL org.opencontainers.image.title="Hosting Control API"
# Numeric, so that orchestrators can verify that it is not root. It cannot write the files that it runs.
USER 1000:1000
STOPSIGNAL SIGTERM

# What operators run: `migrate` by default, or tools/verify-audit.ts, tools/reencrypt-secrets.ts.
FROM bare AS operations
COPY --from=build /app/image/operations ./
CMD ["node", "tools/migrate.ts"]

# The API; the worker with `node apps/worker/dist/bundle/main.js`.
FROM bare AS runtime
# The values of tools/process-environment.ts, where the reasons are.
ENV UV_THREADPOOL_SIZE=64
ENV NODE_OPTIONS=--max-semi-space-size=8
# A server that may lose accepted events is refused.
ENV REQUIRE_DURABILITY=true
COPY --from=build /app/image/service ./
EXPOSE 8080 9090
CMD ["node", "apps/api/dist/bundle/main.js"]
