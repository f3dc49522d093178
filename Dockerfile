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

# Run: the built service and its gate, with their dependencies. Not as root, and nothing is written to the image's disk.
FROM node:24-bookworm-slim
ENV NODE_ENV=production
WORKDIR /app
# Mount point of the volume with the keyring; a new named volume gets this owner and mode.
# /redis: users and passwords of Redis under compose, for the containers of Redis (deploy/compose/make-secrets.mjs).
RUN mkdir -m 0700 /keys && mkdir -m 0755 /redis /etc/hv /etc/hv-gate && chown node:node /keys /redis
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/packages/client/package.json packages/client/
COPY --from=build /app/packages/client/dist packages/client/dist
COPY --from=build /app/packages/gate/package.json packages/gate/
COPY --from=build /app/packages/gate/dist packages/gate/dist
COPY --from=build /app/packages/gate/page packages/gate/page
COPY --from=build /app/packages/gate/lists packages/gate/lists
COPY --from=build /app/dist dist
# For `hv demo`: docker run --rm -p 8080:8080 -p 8081:8081 human-verification demo
COPY --from=build /app/config/demo.yaml config/demo.yaml
COPY deploy/image/start.sh start.sh
USER node
EXPOSE 8080 9464
# Both families; IPv4 alone where the system has no IPv6.
ENV HV_CONFIG=/etc/hv/config.yaml HV_LISTEN=[::]:8080 HV_OPS_LISTEN=[::]:9464 HV_KEYRING=/keys/keyring.json
STOPSIGNAL SIGTERM
# The service, or a gate with the default `ops_listen`.
HEALTHCHECK --interval=5s --timeout=2s --start-period=10s --retries=3 \
  CMD ["node", "-e", "const ask = async (url) => (await fetch(url)).ok || Promise.reject(); Promise.any([ask('http://127.0.0.1:8080/health'), ask('http://127.0.0.1:9465/ready')]).then(() => process.exit(0), () => process.exit(1))"]
# hv; with `gate` as the first word of the command hv-gate.
ENTRYPOINT ["/bin/sh", "/app/start.sh"]
CMD ["serve"]
