# Build: everything, with the development dependencies.
FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
COPY packages/client packages/client
RUN npm ci --ignore-scripts
COPY LICENSE tsconfig.json tsconfig.base.json ./
COPY src src
COPY widget widget
COPY dashboard dashboard
COPY config config
RUN npm run build && npm prune --omit=dev --ignore-scripts

# Run: the built service, its dependencies, and nobody's shell habits. No root, and nothing is written to the image's disk.
FROM node:24-bookworm-slim
ENV NODE_ENV=production
WORKDIR /app
# Where a volume with the keyring is mounted; a new named volume takes over this owner and mode.
# /redis: users and passwords of Redis under compose, for the containers of Redis (deploy/compose/make-secrets.mjs).
RUN mkdir -m 0700 /keys && mkdir -m 0755 /redis && chown node:node /keys /redis
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/packages/client/package.json packages/client/
COPY --from=build /app/packages/client/dist packages/client/dist
COPY --from=build /app/dist dist
# For `hv demo`: docker run --rm --network host human-verification demo
COPY --from=build /app/config/demo.yaml config/demo.yaml
USER node
EXPOSE 8080 9464
ENV HV_CONFIG=/etc/hv/config.yaml HV_LISTEN=0.0.0.0:8080 HV_OPS_LISTEN=0.0.0.0:9464 HV_KEYRING=/keys/keyring.json
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=5s --timeout=2s --start-period=10s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:8080/health').then((res) => process.exit(res.ok ? 0 : 1), () => process.exit(1))"]
# Room for the young objects of many requests in flight: with the default of 16 MiB they are copied too often, for some 15 % of
# the processor time of a verification. The least size keeps that room while nothing happens: V8 would make it 1 MiB, and the
# next burst would pay for that. Old objects are collected when there are three times as many, not after every idle spell.
# docs/operate/operations.md, "Sizing", has what it costs and saves.
ENTRYPOINT ["node", "--min-semi-space-size=64", "--max-semi-space-size=64", "--heap-growing-percent=200", "--no-memory-reducer", "dist/main.js"]
CMD ["serve"]
