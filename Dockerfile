# A daemon as an unprivileged user on a read-only root. Its data are in /var/lib/nodewright, its configuration in
# /etc/nodewright/config.json. How to run it: fixtures/deploy/README.md.
FROM node:24-bookworm-slim AS build
WORKDIR /sources
COPY . .
# The package as `npm pack` makes it, with the locked versions of the packages that it needs when it runs.
RUN npm ci --no-audit --no-fund \
  && npm pack \
  && install -d /opt/nodewright \
  && tar -xzf nodewright-*.tgz -C /opt/nodewright --strip-components=1 \
  && cp package-lock.json /opt/nodewright
WORKDIR /opt/nodewright
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund

FROM node:24-bookworm-slim
# ipmitool sends commands to BMCs. Its version is that of the base image's distribution.
# hadolint ignore=DL3008
RUN apt-get update \
  && apt-get install -y --no-install-recommends ipmitool \
  && rm -rf /var/lib/apt/lists/* \
  && install -d -o node -g node -m 700 /var/lib/nodewright
COPY --from=build /opt/nodewright /opt/nodewright
COPY fixtures/deploy/container.json /etc/nodewright/config.json
ENV NODE_ENV=production NODEWRIGHT_CONFIG=/etc/nodewright/config.json
WORKDIR /var/lib/nodewright
VOLUME /var/lib/nodewright
# The user `node`, as a number, so that Kubernetes can see that it is not root.
USER 1000:1000
EXPOSE 8080 9080 9090
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:9090/readyz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENV MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=262144
ENTRYPOINT ["node", "--max-semi-space-size=32", "--heap-growing-percent=60", "--enable-source-maps", "/opt/nodewright/dist/daemon.mjs"]
