# Build: everything, with the development dependencies.
FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
COPY packages/client packages/client
COPY packages/gate packages/gate
RUN npm ci --ignore-scripts
COPY LICENSE tsconfig.json tsconfig.base.json ./
COPY src src
COPY widget widget
COPY dashboard dashboard
COPY config config
COPY docs/make docs/make
RUN npm run build && npm prune --omit=dev --ignore-scripts

# Run: the built service and its dependencies. Not as root, and nothing is written to the image's disk.
FROM node:24-bookworm-slim
ENV NODE_ENV=production
WORKDIR /app
# Mount point of the volume with the keyring; a new named volume gets this owner and mode.
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
# Both families; IPv4 alone where the system has no IPv6.
ENV HV_CONFIG=/etc/hv/config.yaml HV_LISTEN=[::]:8080 HV_OPS_LISTEN=[::]:9464 HV_KEYRING=/keys/keyring.json
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=5s --timeout=2s --start-period=10s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:8080/health').then((res) => process.exit(res.ok ? 0 : 1), () => process.exit(1))"]
# Semi-spaces of 64 MiB: with the default of 16 MiB the young objects of many pending requests are copied too often, which takes
# 15 % of the processor time of a verification. The minimum keeps that size while the service is idle: V8 would shrink it to
# 1 MiB. Old objects are collected when their number has tripled, not after each idle period.
# Costs and savings: docs/operate/operations.md, "Sizing".
ENTRYPOINT ["node", "--min-semi-space-size=64", "--max-semi-space-size=64", "--heap-growing-percent=200", "--no-memory-reducer", "--no-maglev", "dist/main.js"]
CMD ["serve"]
