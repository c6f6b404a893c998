# syntax=docker/dockerfile:1

FROM node:24-bookworm-slim AS base
WORKDIR /app

# The manifests alone, so that a change of the sources does not install every package anew.
FROM base AS manifests
COPY . .
RUN mkdir /manifests && cp --parents package.json package-lock.json .npmrc \
  apps/*/package.json packages/*/package.json tools/*/package.json /manifests

# The sources, built, with all that building and migrating need: docker-compose.yml's `migrate` runs it.
FROM base AS build
ENV PATH=/app/node_modules/.bin:$PATH
COPY --from=manifests /manifests ./
RUN --mount=type=cache,target=/root/.npm npm ci --ignore-scripts
COPY . .
RUN npm run build && mkdir /built && cp --recursive --parents apps/*/dist apps/*/assets packages/*/dist /built
USER node
CMD ["node", "tools/migrate.ts"]

FROM base AS packages
COPY --from=manifests /manifests ./
RUN --mount=type=cache,target=/root/.npm \
  npm ci --omit=dev --ignore-scripts --workspace=apps/api --workspace=apps/worker

# What runs: production packages and built code, which the user that runs it cannot write.
FROM base AS runtime
# Names are looked up in these threads: one dead name server must not hold up all deliveries.
ENV NODE_ENV=production UV_THREADPOOL_SIZE=64
COPY --from=packages /app ./
COPY --from=build /built ./
USER node
EXPOSE 8080
CMD ["node", "apps/api/dist/main.js"]
